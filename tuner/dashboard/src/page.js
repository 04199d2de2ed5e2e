const cards = document.getElementById("cards");
const kinds = document.getElementById("kinds");
const connection = document.getElementById("connection");
const NAMES = { all: "All", cluster: "Cluster", match: "Matches", spsa: "SPSA", breed: "Breeding", training: "Trainings", games: "Datasets", lab: "Laboratory" };
const RANKS = { running: 0, stopped: 1, done: 2 };
const STATES = { connecting: "connecting", live: "live", lost: "connection lost, trying again" };
let shown = "all";

function ago(seconds) {
  if (seconds < 5) return "now";
  if (seconds < 120) return Math.round(seconds) + " s ago";
  if (seconds < 7200) return Math.round(seconds / 60) + " min ago";
  if (seconds < 172800) return Math.round(seconds / 3600) + " h ago";
  return Math.round(seconds / 86400) + " days ago";
}

function tick() {
  for (const each of document.querySelectorAll(".ago")) {
    each.textContent = ago(Date.now() / 1000 - Number(each.dataset.at));
  }
}

function filter() {
  const counts = new Map([["all", [0, 0]]]);
  for (const card of cards.querySelectorAll("article")) {
    for (const kind of ["all", card.dataset.kind]) {
      const [all, running] = counts.get(kind) || [0, 0];
      counts.set(kind, [all + 1, running + (card.dataset.state === "running")]);
    }
    card.hidden = shown !== "all" && card.dataset.kind !== shown;
  }
  const found = Object.keys(NAMES).filter((kind) => counts.has(kind));
  kinds.replaceChildren(...found.map((kind) => {
    const [all, running] = counts.get(kind);
    const button = document.createElement("button");
    button.textContent = NAMES[kind] + " " + all + (running && kind !== "cluster" ? ", " + running + " running" : "");
    button.setAttribute("aria-pressed", String(kind === shown));
    button.onclick = () => { shown = kind; filter(); };
    return button;
  }));
  const empty = document.getElementById("empty");
  if (empty) empty.hidden = cards.querySelector("article") !== null;
}

// Puts a card behind those that come before it: running ones first.
function place(article) {
  const rank = RANKS[article.dataset.state];
  const behind = [...cards.querySelectorAll("article")].find((it) => it !== article && RANKS[it.dataset.state] > rank);
  cards.insertBefore(article, behind || document.getElementById("empty"));
}

function head(card) {
  const head = document.createElement("h2");
  for (const [name, text] of [["kind", card.kind], ["title", card.title], ["state", card.state], ["ago", ""]]) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    if (name === "ago") part.dataset.at = card.changed;
    head.append(part);
  }
  return head;
}

function show(card) {
  let article = document.getElementById(card.id);
  if (!article) {
    article = document.createElement("article");
    article.id = card.id;
  }
  const scrolled = [...article.querySelectorAll(".scroll")].map((it) => [it.scrollLeft, it.scrollTop]);
  const unfolded = [...article.querySelectorAll("details")].map((it) => it.open);
  const moves = article.dataset.state !== card.state || !article.parentNode;
  article.dataset.kind = card.kind;
  article.dataset.state = card.state;
  const body = document.createElement("div");
  body.innerHTML = card.html;
  article.replaceChildren(head(card), body);
  if (moves) place(article);
  [...article.querySelectorAll("details")].forEach((it, index) => { it.open = unfolded[index] || false; });
  [...article.querySelectorAll(".scroll")].forEach((it, index) => {
    if (scrolled[index]) [it.scrollLeft, it.scrollTop] = scrolled[index];
  });
}

function take({ state, all, card, gone }) {
  if (state) { connection.textContent = STATES[state]; connection.className = state; }
  if (all && all.length) {
    const known = new Set(all.map((it) => it.id));
    for (const article of cards.querySelectorAll("article")) if (!known.has(article.id)) article.remove();
    all.forEach(show);
  }
  if (card) show(card);
  if (gone) document.getElementById(gone)?.remove();
  filter();
  tick();
}

let worker = null;
let events = null;

// A stream of this tab alone, where tabs cannot share one: closed while nobody looks.
function follow() {
  if (document.hidden) {
    events?.close();
    events = null;
  } else if (!events) {
    events = new EventSource("events" + location.search);
    events.onopen = () => take({ state: "live" });
    events.onerror = () => take({ state: "lost" });
    events.addEventListener("card", (event) => take({ card: JSON.parse(event.data) }));
    events.addEventListener("gone", (event) => take({ gone: event.data }));
  }
}

function begin() {
  if (!window.SharedWorker) return follow();
  worker = new SharedWorker("worker.js" + location.search);
  worker.port.onmessage = (event) => take(event.data);
  worker.onerror = () => { worker = null; follow(); };
}

document.addEventListener("visibilitychange", () => { if (!worker) follow(); });
window.addEventListener("pagehide", () => worker?.port.postMessage("bye"));
window.addEventListener("pageshow", (event) => { if (event.persisted) begin(); });
setInterval(tick, 1000);
begin();
filter();
tick();
