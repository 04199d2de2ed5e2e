"use strict";
const cards = document.getElementById("cards");
const kinds = document.getElementById("kinds");
const connection = document.getElementById("connection");
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
  const found = new Set(["all"]);
  for (const card of cards.querySelectorAll("article")) {
    found.add(card.dataset.kind);
    card.hidden = shown !== "all" && card.dataset.kind !== shown;
  }
  kinds.replaceChildren(...[...found].map((kind) => {
    const button = document.createElement("button");
    button.textContent = kind;
    button.setAttribute("aria-pressed", String(kind === shown));
    button.onclick = () => { shown = kind; filter(); };
    return button;
  }));
  const empty = document.getElementById("empty");
  if (empty) empty.hidden = cards.querySelector("article") !== null;
}

function show(card) {
  let article = document.getElementById(card.id);
  if (!article) {
    article = document.createElement("article");
    article.id = card.id;
    cards.append(article);
  }
  const scrolled = [...article.querySelectorAll(".scroll, .charts")].map((it) => [it.scrollLeft, it.scrollTop]);
  article.dataset.kind = card.kind;
  const head = document.createElement("h2");
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = card.kind;
  const time = document.createElement("span");
  time.className = "ago";
  time.dataset.at = card.changed;
  head.append(kind, card.title, time);
  const body = document.createElement("div");
  body.innerHTML = card.html;
  article.replaceChildren(head, body);
  [...article.querySelectorAll(".scroll, .charts")].forEach((it, index) => {
    if (scrolled[index]) [it.scrollLeft, it.scrollTop] = scrolled[index];
  });
}

const events = new EventSource("events" + location.search);
events.onopen = () => { connection.textContent = "live"; connection.className = "live"; };
events.onerror = () => { connection.textContent = "connection lost, trying again"; connection.className = ""; };
events.addEventListener("card", (event) => { show(JSON.parse(event.data)); filter(); tick(); });
events.addEventListener("gone", (event) => { document.getElementById(event.data)?.remove(); filter(); });
setInterval(tick, 1000);
filter();
tick();
