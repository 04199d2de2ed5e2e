"use strict";
// One stream of events for all tabs of a browser, which allows only six connections to a server.
const ports = new Set();
const cards = new Map();
let state = "connecting";

function tell(message) {
  for (const port of ports) port.postMessage(message);
}

function become(next) {
  state = next;
  tell({ state });
}

const events = new EventSource("events" + self.location.search);
events.onopen = () => become("live");
events.onerror = () => become("lost");
events.addEventListener("card", (event) => {
  const card = JSON.parse(event.data);
  cards.set(card.id, card);
  tell({ card });
});
events.addEventListener("gone", (event) => {
  cards.delete(event.data);
  tell({ gone: event.data });
});

self.onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = () => ports.delete(port);
  port.postMessage({ state, all: [...cards.values()] });
};
