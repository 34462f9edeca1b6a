// The search, by `/` and the arrow keys, a button that copies code, and the way from an address that
// a section had before. Everything else on the pages works without it.
const here = document.currentScript;
const place = document.getElementById("search");
const most = 12;
let rows = null;
let hits = [];
let chosen = -1;

/** Creates an element with attributes and content. */
function create(name, attributes, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

const input = create("input", {
  ...{ type: "search", placeholder: "Search", "aria-label": "Search the docs", autocomplete: "off" },
  ...{ role: "combobox", "aria-expanded": "false", "aria-controls": "hits", "aria-autocomplete": "list" },
});
const list = create("div", { id: "hits", role: "listbox", "aria-label": "Pages", hidden: "" });
const said = create("p", { class: "unseen", role: "status" });
place.append(input, create("kbd", { "aria-hidden": "true" }, "/"), list, said);
place.hidden = false;

async function load() {
  rows ??= fetch(here.dataset.index).then((response) => response.json());
  return await rows.catch(() => {
    rows = null;
    return [];
  });
}

/**
 * How well a row matches all words: 0 for not at all. Titles come before what else finds them, and
 * pages and operations before the objects that occur in them.
 */
function rate([title, place, address, more = ""], words) {
  const name = title.toLowerCase();
  const rest = `${place} ${more}`.toLowerCase();
  let rating = 0;
  for (const word of words) {
    const at = name.indexOf(word);
    if (at < 0 && !rest.includes(word)) return 0;
    rating += at < 0 ? 1 : at === 0 ? 6 : /\W/.test(name[at - 1]) ? 4 : 2;
  }
  const [, anchor] = address.split("#", 2);
  return rating + (anchor?.startsWith("object-") ? -0.5 : anchor === undefined || more ? 2 : 1) + 1 / name.length;
}

async function find() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = words.length === 0 ? [] : await load();
  hits = all
    .map((row) => ({ row, rating: rate(row, words) }))
    .filter(({ rating }) => rating > 0)
    .sort((one, other) => other.rating - one.rating)
    .slice(0, most);
  list.replaceChildren(
    ...hits.map(({ row: [title, place, address] }, index) =>
      create(
        "a",
        { href: address, role: "option", id: `hit-${index}`, "aria-selected": "false", tabindex: "-1" },
        ...[title, create("span", {}, place)],
      ),
    ),
  );
  said.textContent = words.length === 0 ? "" : hits.length === 0 ? "Nothing found." : `${hits.length} found.`;
  place.toggleAttribute("data-empty", words.length > 0 && hits.length === 0);
  choose(hits.length > 0 ? 0 : -1);
}

function choose(index) {
  chosen = index;
  list.hidden = hits.length === 0;
  input.setAttribute("aria-expanded", String(hits.length > 0));
  input.setAttribute("aria-activedescendant", index < 0 ? "" : `hit-${index}`);
  for (const [at, item] of [...list.children].entries()) item.setAttribute("aria-selected", String(at === index));
  list.children[index]?.scrollIntoView({ block: "nearest" });
}

function close() {
  hits = [];
  list.replaceChildren();
  choose(-1);
}

input.addEventListener("focus", load);
input.addEventListener("input", find);
input.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && hits.length > 0) choose((chosen + step + hits.length) % hits.length);
  else if (event.key === "Enter" && chosen >= 0) list.children[chosen].click();
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
});
list.addEventListener("click", () => setTimeout(close));
place.addEventListener("focusout", ({ relatedTarget }) => place.contains(relatedTarget) || close());
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target === input) return;
  event.preventDefault();
  input.focus();
  input.select();
});

/** Leads to the page of a section that was on this page, such as `/docs/contract/decisions#usage`. */
function leadToSection() {
  const name = location.hash.slice(1);
  if (name === "" || document.getElementById(name)) return;
  const sections = `${location.pathname}/`;
  const link = [...document.querySelectorAll("main a")].find(
    ({ pathname, hash }) => pathname === sections + name || (pathname.startsWith(sections) && hash === `#${name}`),
  );
  if (link) location.replace(`${link.pathname}#${name}`);
}

addEventListener("hashchange", leadToSection);
leadToSection();

for (const block of document.querySelectorAll("pre")) {
  const button = create("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2_000);
  });
  block.before(button);
}
