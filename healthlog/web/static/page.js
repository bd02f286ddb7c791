// Everything works without this file; it makes charts answer a finger, and one button print.
"use strict";

// What a mark tells is shown below its chart when it is touched or reached by the keyboard.
for (const chart of document.querySelectorAll("svg.chart, svg.stages")) {
  const caption = chart.parentElement.querySelector("figcaption");
  if (!caption) continue;
  const whole = caption.textContent;
  chart.addEventListener("pointerover", (event) => {
    const told = event.target.querySelector(":scope > title");
    caption.textContent = told && event.target !== chart ? told.textContent : whole;
  });
  chart.addEventListener("pointerleave", () => { caption.textContent = whole; });
}

for (const chosen of document.querySelectorAll("form.line select")) {
  chosen.addEventListener("change", () => chosen.form.submit());
}

const print = document.getElementById("print");
if (print) print.addEventListener("click", () => window.print());

// Pairing: look again until the phone has come through.
const heard = document.getElementById("heard");
if (heard && !heard.classList.contains("good")) {
  const timer = setInterval(async () => {
    const answer = await fetch(`/pair/heard?since=${heard.dataset.since}`);
    if (!answer.ok) return;
    const said = await answer.json();
    if (heard.textContent !== said.text) heard.textContent = said.text;
    heard.className = said.kind;
    if (said.kind === "good") clearInterval(timer);
  }, 1500);
}
