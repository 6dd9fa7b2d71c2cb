// The page in a real browser: what it shows, what it loads, how it looks.
//
//   node page.mjs REPORT.html VALUES.csv SHOTS
//
// needs axe-core and puppeteer-core (NODE_PATH or a node_modules above), and CHROMIUM.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const need = createRequire(path.join(process.env.NODE_MODULES || process.cwd(), "x.js"));
const puppeteer = need("puppeteer-core");
const axe = fs.readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");

const [page, values, shots] = process.argv.slice(2);
const url = pathToFileURL(path.resolve(page)).href;
fs.mkdirSync(shots, { recursive: true });
const wrong = [];
const note = (text) => console.log(text);
const fail = (text) => {
  wrong.push(text);
  console.log(`WRONG: ${text}`);
};

/// Comma-separated records, RFC 4180.
function records(text) {
  const rows = [];
  let row = [];
  let field = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') {
        field += '"';
        i++;
      } else if (c === '"') quoted = false;
      else field += c;
    } else if (c === '"') quoted = true;
    else if (c === ",") {
      row.push(field);
      field = "";
    } else if (c === "\n") {
      row.push(field);
      rows.push(row);
      row = [];
      field = "";
    } else field += c;
  }
  const head = rows.shift();
  return rows.map((r) => Object.fromEntries(head.map((h, i) => [h, r[i]])));
}

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
});

async function opened(options = {}) {
  const tab = await browser.newPage();
  await tab.setViewport({ width: options.width || 1400, height: 1000 });
  if (options.dark) {
    await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  }
  if (options.still) await tab.setJavaScriptEnabled(false);
  tab.on("console", (m) => {
    if (["error", "warning", "assert"].includes(m.type())) fail(`console: ${m.text()}`);
  });
  tab.on("pageerror", (e) => fail(`fault: ${e.message}`));
  tab.on("request", (r) => {
    if (r.url() !== url && !r.url().startsWith("data:")) fail(`request: ${r.url()}`);
  });
  tab.on("dialog", async (d) => {
    fail(`dialog: ${d.message()}`);
    await d.dismiss();
  });
  await tab.goto(url, { waitUntil: "load" });
  return tab;
}

// 1. Every value in the page is that of `log --format csv`.
{
  const tab = await opened();
  const read = await tab.evaluate(() =>
    [...document.querySelectorAll("table.values")].map((table) => {
      const clean = (cell) => {
        const copy = cell.cloneNode(true);
        copy.querySelectorAll("sup").forEach((s) => s.remove());
        return copy.textContent.trim();
      };
      return {
        metric: table.dataset.metric,
        language: table.dataset.language,
        columns: [...table.tHead.rows[0].cells].slice(1).map((c) => c.textContent.trim()),
        rows: [...table.tBodies].flatMap((body) => {
          const arm = body.rows[0].cells[0].textContent.trim();
          return [...body.rows].slice(1).map((row) => ({
            arm,
            chain: row.cells[0].textContent.trim(),
            cells: [...row.cells].slice(1).map(clean),
          }));
        }),
      };
    }),
  );
  const expected = new Map();
  for (const r of records(fs.readFileSync(values, "utf8"))) {
    const chain = [r.experiment, r.arm, r.task, r.chain].filter((p) => p !== "").join("/");
    const shown = { known: r.value, undefined: "–", unknown: "?" }[r.state];
    expected.set([r.metric, r.language, chain, r.checkpoint].join("\0"), shown);
  }
  let compared = 0;
  const metrics = new Set();
  for (const table of read) {
    metrics.add(table.metric + "\0" + table.language);
    for (const row of table.rows) {
      row.cells.forEach((cell, i) => {
        const key = [table.metric, table.language, row.chain, table.columns[i]].join("\0");
        const is = expected.get(key);
        if (is === undefined && cell === "") return;
        compared++;
        if (is !== cell) fail(`${key.replaceAll("\0", " ")}: page ${cell}, csv ${is}`);
        expected.delete(key);
      });
    }
  }
  const left = [...expected.keys()].filter((k) => {
    const [metric, language] = k.split("\0");
    return metrics.has(metric + "\0" + language);
  });
  if (left.length > 0) fail(`${left.length} values of the CSV are not in their tables: ${left[0]}`);
  note(`values: ${compared} cells in ${read.length} tables are those of the CSV`);

  // Ids are unique, and what is jumped to is there.
  const ids = await tab.evaluate(() => {
    const all = [...document.querySelectorAll("[id]")].map((e) => e.id);
    const twice = all.filter((id, i) => all.indexOf(id) !== i);
    const lost = [...document.querySelectorAll('a[href^="#"]')]
      .map((a) => a.getAttribute("href").slice(1))
      .filter((id) => !document.getElementById(id));
    const out = [...document.querySelectorAll("[src],[srcset],link,iframe,object,embed,base,form")].length;
    const handlers = [...document.querySelectorAll("*")].filter((e) =>
      [...e.attributes].some((a) => a.name.startsWith("on")),
    ).length;
    return { count: all.length, twice, lost, out, handlers };
  });
  if (ids.twice.length) fail(`ids twice: ${ids.twice.slice(0, 5)}`);
  if (ids.lost.length) fail(`jumps to nowhere: ${ids.lost.slice(0, 5)}`);
  if (ids.out) fail(`${ids.out} elements that load or send`);
  if (ids.handlers) fail(`${ids.handlers} elements with handlers`);
  note(`ids: ${ids.count}, each once`);
  await tab.close();
}

// 2. axe finds nothing, light and dark, wide and narrow, everything open.
for (const [name, options] of [
  ["light", {}],
  ["dark", { dark: true }],
  ["narrow", { width: 360 }],
]) {
  const tab = await opened(options);
  await tab.evaluate(() => {
    document.querySelectorAll("details").forEach((d) => (d.open = true));
  });
  // The policy of the page forbids strangers' scripts, this one too: it goes in from outside.
  const session = await tab.createCDPSession();
  await session.send("Page.setBypassCSP", { enabled: true });
  await session.send("Runtime.evaluate", { expression: axe });
  const found = await tab.evaluate(
    async () =>
      await axe.run(document, {
        resultTypes: ["violations"],
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      }),
  );
  for (const v of found.violations) {
    fail(`axe ${name}: ${v.id} (${v.nodes.length}): ${v.help}: ${v.nodes[0].html.slice(0, 160)}`);
  }
  note(`axe ${name}: ${found.violations.length} violations`);
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) fail(`${name}: the page is ${wide} px wider than the window`);
  await tab.close();
}

// 3. Without scripting the same is said.
{
  const text = async (options) => {
    const tab = await opened(options);
    const client = await tab.createCDPSession();
    const { root } = await client.send("DOM.getDocument", { depth: 0 });
    const { nodeId } = await client.send("DOM.querySelector", { nodeId: root.nodeId, selector: "main" });
    const { outerHTML } = await client.send("DOM.getOuterHTML", { nodeId });
    await tab.close();
    return outerHTML.replace(/<p class="filter">.*?<\/p>/s, "").replace(/<[^>]*>/g, "");
  };
  const [with_, without] = [await text({}), await text({ still: true })];
  if (with_ !== without) fail("the page says something else without scripting");
  note(`without scripting: the same ${without.length} characters`);
}

// 4. How it looks.
for (const [name, options] of [
  ["wide", {}],
  ["dark", { dark: true }],
  ["narrow", { width: 360 }],
  ["still", { still: true }],
]) {
  const tab = await opened(options);
  const height = await tab.evaluate(() => document.documentElement.scrollHeight).catch(() => 4000);
  const width = options.width || 1400;
  for (let at = 0, n = 1; at < Math.min(height, Number(process.env.MOST || 6000)); at += 2000, n++) {
    await tab.screenshot({
      path: path.join(shots, `${name}-${n}.png`),
      clip: { x: 0, y: at, width, height: Math.min(2000, height - at) },
      captureBeyondViewport: true,
    });
  }
  note(`${name}: ${height} px high`);
  await tab.close();
}
{
  const tab = await opened();
  await tab.pdf({ path: path.join(shots, "print.pdf"), format: "A4", preferCSSPageSize: true });
  await tab.close();
}

await browser.close();
if (wrong.length) {
  console.log(`${wrong.length} wrong`);
  process.exit(1);
}
console.log("all well");
