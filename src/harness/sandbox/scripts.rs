//! The words with which the sandboxes are made. The scripts are for any POSIX shell.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::mounts::Mount;

/// Opens the file that is told how it ended, which nothing inside has a path to.
const TOLD: &str = r#"exec 3>"$1"; shift; exec "$@""#;

/// Runs the program inside, counts what it left behind, and tells.
const INSIDE: &str = r#"
mark=$1 folder=$2; shift 2
echo began >&3
cd "$folder" || exit 126
if ! [ -x "$1" ]; then echo missing >&3; exit 127; fi
if [ "$mark" ]; then EVOLVE_MARK=$mark; export EVOLVE_MARK; fi
exec 4>&2 2>/dev/null
"$@" 2>&4 3>&- 4>&-
code=$? left=0
for p in /proc/[0-9]*; do
  case $p in /proc/1|/proc/$$) continue ;; esac
  read -r line <"$p/stat" || continue
  case $line in *') Z '*) ;; *) left=$((left + 1)) ;; esac
done
echo "ended $code $left" >&3
exit "$code"
"#;

/// Puts the files of the new root together and goes there. Runs as the first process of its
/// namespaces; what it makes is owned by a user namespace that the program inside is not in.
const ROOT: &str = r#"
set -eu
root=$1 uid=$2 gid=$3; shift 3
mount -t tmpfs -o mode=755 tmpfs "$root"
keep() { # of a mount's flags those that may not be lost
  k= IFS=,
  for f in $1; do
    case $f in nosuid|nodev|noexec|noatime|nodiratime|relatime) k=$k,$f ;; esac
  done
  unset IFS
}
readonly_below() {
  while read -r _ _ _ _ at flags _; do
    at=$(printf '%b' "$(printf %s "$at" | sed 's/\\\([0-7][0-7][0-7]\)/\\0\1/g')x"); at=${at%x}
    case $at in "$1"|"$1"/*) keep "$flags"; mount -o "remount,bind,ro$k" "$at" ;; esac
  done </proc/self/mountinfo
}
place() { # what stands at a path, there
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root${1%/*}"; : >>"$root$1"; fi
  mount --rbind "$1" "$root$1"
}
mkdir "$root/tmp" "$root/proc" "$root/dev" "$root/old"
mount -t tmpfs -o mode=1777,size=50% tmpfs "$root/tmp"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for d in null zero full random urandom; do
  : >"$root/dev/$d"; mount --bind "/dev/$d" "$root/dev/$d"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts" || :
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for d in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${d%:*}" "$root/dev/${d#*:}"; done
while [ "$1" != -- ]; do
  case $1 in
    empty) mkdir -p "$root$2"; mount -t tmpfs -o mode=755 tmpfs "$root$2"; shift 2 ;;
    read) place "$2"; readonly_below "$root$2"; shift 2 ;;
    write) place "$2"; shift 2 ;;
    link) mkdir -p "$root${2%/*}"; ln -s "$3" "$root$2"; shift 3 ;;
  esac
done
shift
hostname sandbox 2>/dev/null || :
ip link set lo up 2>/dev/null || :
cd "$root"
pivot_root . old
cd /
umount -l /old
rmdir /old
mount -o remount,ro,mode=755 / 2>/dev/null || :
exec unshare --user --map-user="$uid" --map-group="$gid" "$@"
"#;

/// `framed`, with the file `status` open as descriptor 3.
pub(super) fn told(status: PathBuf, framed: Vec<OsString>) -> Vec<OsString> {
    let mut words = shell(TOLD);
    words.push(status.into_os_string());
    words.extend(framed);
    words
}

/// What runs `words` inside.
pub(super) fn inside(words: &[OsString], folder: &Path, mark: &str) -> Vec<OsString> {
    let mut all = shell(INSIDE);
    all.extend([mark.into(), folder.as_os_str().to_owned()]);
    all.extend(words.iter().cloned());
    all
}

fn shell(script: &str) -> Vec<OsString> {
    ["/bin/sh", "-c", script, "sh"].map(OsString::from).to_vec()
}

/// Bubblewrap around `inside`.
pub(super) fn bwrap(
    program: PathBuf,
    mounts: &[Mount],
    network: bool,
    inside: Vec<OsString>,
) -> Vec<OsString> {
    let mut words = vec![program.into_os_string()];
    let mut add = |more: &[&OsStr]| words.extend(more.iter().map(|w| (*w).to_owned()));
    for word in [
        "--die-with-parent",
        // Else it could type into the terminal that the run was started from.
        "--new-session",
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--hostname",
        "sandbox",
        // Where root starts it, it would keep the rights to take the mounts away again.
        "--cap-drop",
        "ALL",
    ] {
        add(&[word.as_ref()]);
    }
    if !network {
        add(&["--unshare-net".as_ref()]);
    }
    for (flag, at) in [
        ("--tmpfs", "/tmp"),
        ("--proc", "/proc"),
        ("--dev", "/dev"),
        ("--tmpfs", "/dev/shm"),
    ] {
        add(&[flag.as_ref(), at.as_ref()]);
    }
    for mount in mounts {
        match mount {
            Mount::Empty(at) => add(&["--tmpfs".as_ref(), at.as_ref()]),
            Mount::Read(at) => add(&["--ro-bind".as_ref(), at.as_ref(), at.as_ref()]),
            Mount::Write(at) => add(&["--bind".as_ref(), at.as_ref(), at.as_ref()]),
            Mount::Link(at, to) => add(&["--symlink".as_ref(), to.as_ref(), at.as_ref()]),
        }
    }
    for word in ["--remount-ro", "/", "--"] {
        add(&[word.as_ref()]);
    }
    words.extend(inside);
    words
}

/// Namespaces made by `unshare` around `inside`. With `setpriv` they end where we do.
pub(super) fn namespaces(
    unshare: PathBuf,
    setpriv: Option<PathBuf>,
    mounts: &[Mount],
    network: bool,
    root: PathBuf,
    inside: Vec<OsString>,
) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    if let Some(setpriv) = setpriv {
        words.push(setpriv.into_os_string());
        words.extend(["--pdeathsig", "KILL", "--"].map(OsString::from));
    }
    words.push(unshare.into_os_string());
    for word in [
        "--user",
        "--map-root-user",
        "--mount",
        "--pid",
        "--ipc",
        "--uts",
        "--fork",
        "--kill-child",
    ] {
        words.push(word.into());
    }
    if !network {
        words.push("--net".into());
    }
    words.push("--".into());
    // The script's own tools are the system's; the session's PATH comes back behind it.
    words.extend(["/usr/bin/env", "-u", "ENV", "-u", "BASH_ENV"].map(OsString::from));
    words.extend(shell(&with_path(ROOT)));
    words.push(root.into_os_string());
    words.push(rustix::process::getuid().as_raw().to_string().into());
    words.push(rustix::process::getgid().as_raw().to_string().into());
    for mount in mounts {
        let (kind, at) = match mount {
            Mount::Empty(at) => ("empty", at),
            Mount::Read(at) => ("read", at),
            Mount::Write(at) => ("write", at),
            Mount::Link(at, _) => ("link", at),
        };
        words.extend([kind.into(), at.clone().into_os_string()]);
        if let Mount::Link(_, to) = mount {
            words.push(to.clone().into_os_string());
        }
    }
    words.push("--".into());
    words.extend(inside);
    words
}

/// The script with the system's programs first, and the PATH it came with for what it starts.
fn with_path(script: &str) -> String {
    let path = super::SYSTEM_PATH;
    let script = script.replace(
        "exec unshare",
        "tool=$(command -v unshare); if [ \"${own+set}\" ]; then PATH=$own; else unset PATH; fi; exec \"$tool\"",
    );
    format!("if [ \"${{PATH+set}}\" ]; then own=$PATH; fi; PATH={path}; export PATH\n{script}")
}
