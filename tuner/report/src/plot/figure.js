"use strict";
const DIGITS = { maximumSignificantDigits: 6 };
// The values under the pointer, or else the last ones.
function point(figure, event) {
  const values = figure.values || (figure.values = JSON.parse(figure.dataset.values));
  const svg = figure.querySelector("svg");
  const box = svg.getBoundingClientRect();
  const inside = event && event.clientY >= box.top && event.clientY <= box.bottom;
  const across = inside ? (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width : values.right;
  const share = Math.min(1, Math.max(0, (across - values.left) / (values.right - values.left)));
  const wanted = values.from + share * (values.to - values.from);
  const nearest = values.lines.map((points) => points.reduce((best, it) => Math.abs(it[0] - wanted) <= Math.abs(best[0] - wanted) ? it : best));
  const items = figure.querySelectorAll(".legend .value");
  nearest.forEach((it, index) => { if (items[index]) items[index].textContent = it[1].toLocaleString("en", DIGITS); });
  const at = nearest.reduce((best, it) => Math.abs(it[0] - wanted) < Math.abs(best[0] - wanted) ? it : best)[0];
  figure.querySelector(".at").textContent = inside ? values.x + " " + at.toLocaleString("en", DIGITS) : values.x;
  const pointer = svg.querySelector(".pointer");
  pointer.setAttribute("visibility", inside ? "visible" : "hidden");
  const left = values.left + (at - values.from) / (values.to - values.from) * (values.right - values.left);
  pointer.setAttribute("transform", "translate(" + left + " 0)");
}

for (const name of ["pointermove", "pointerdown"]) {
  document.addEventListener(name, (event) => {
    const figure = event.target.closest("figure[data-values]");
    for (const other of document.querySelectorAll("figure.pointed")) {
      if (other !== figure) { other.classList.remove("pointed"); point(other); }
    }
    if (figure) { figure.classList.add("pointed"); point(figure, event); }
  });
}
document.documentElement.addEventListener("pointerleave", () => {
  for (const figure of document.querySelectorAll("figure.pointed")) { figure.classList.remove("pointed"); point(figure); }
});
