#![allow(warnings)]
use git_evolve::syntax::*;
use std::sync::Arc;
fn main() {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap();
    let profile = if mode == "scb" {
        Profile::Scb
    } else {
        Profile::Lizard
    };
    let mut a = Analyser::new(profile).unwrap();
    println!("path,function,key,start,end,nloc,cc,cognitive,nested,filenloc");
    for line in std::io::stdin().lines() {
        let p = line.unwrap();
        let Ok(b) = std::fs::read(&p) else { continue };
        let Some(l) = Language::of_path(p.as_bytes()) else {
            continue;
        };
        let src: Arc<[u8]> = b.into();
        let v = a.analyse(l, &src);
        match v.structure() {
            Ok(s) => {
                println!("{p},FILE,,0,0,{},0,0,no,{}", s.nloc, s.nloc);
                for r in &s.rows {
                    println!(
                        "{p},{},\"{}\",{},{},{},{},{},{},{}",
                        r.name,
                        s.functions[r.function as usize].key,
                        r.start,
                        r.end,
                        r.nloc,
                        r.cc,
                        r.cognitive,
                        if r.nested { "yes" } else { "no" },
                        s.nloc
                    );
                }
            }
            Err(e) => println!("{p},ERR {e},,0,0,0,0,0,no,0"),
        }
    }
}
