// The row of this figure, weighed again as a reader moves a slider: computed from the stored
// scores as the experiment does, and printed as the article prints.
"use strict";
{
  const mount = document.currentScript.previousElementSibling;
  const { scores, d_k } = JSON.parse(mount.dataset.result);
  const STEPS = 120; // of the slider, on a log scale
  const STEEPEST = 0.25; // the most a slope can be

  // A number has nine digits, as if it were stored, and a half goes to its even neighbor.
  const parts = (x) => Math.abs(x).toExponential(8).split("e").map((part) => +part.replace(".", ""));
  const round = (x, places) => {
    const [digits, power] = parts(x);
    const cut = 10 ** (8 - power - places);
    if (cut <= 1) return Math.round(digits / cut);
    const whole = Math.floor(digits / cut);
    const over = digits - (whole + 0.5) * cut;
    return whole + (over > 0 || (over === 0 && whole % 2));
  };
  const fixed = (x, places) => {
    const text = String(round(x, places)).padStart(places + 1, "0");
    const point = text.length - places;
    const whole = text.slice(0, point).replace(/\B(?=(\d{3})+$)/g, ",");
    return (x < 0 ? "−" : "") + whole + (places ? "." + text.slice(point) : "");
  };
  const brief = (x) => {
    const [digits, power] = parts(x);
    if (x && (power < -4 || power > 5)) {
      const up = round(digits / 1e8, 2) === 1000; // 9.996 is 1.00 of the next power
      const raised = String(power + up).replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻");
      return `${fixed(Math.sign(x) * (up ? 1 : digits / 1e8), 2)} × 10${raised}`;
    }
    const kept = Math.max(3, power + 1);
    const places = kept - 1 - power;
    const text = fixed(x, places && round(x, places) === 10 ** kept ? places - 1 : places);
    return places && digits % 10 ** (9 - kept) === 0 ? text.replace(/\.?0+$/, "") : text;
  };
  const weight = (exact) => {
    const p = +exact.toPrecision(9);
    const edge = Math.min(p, 1 - p);
    if (edge < 0.00005) return edge ? (p < 0.5 ? "<0.0001" : ">0.9999") : String(p);
    return fixed(p, edge < 0.001 ? 4 : edge < (p > 0.05 ? 0.005 : 0.05) ? 3 : 2);
  };

  const tag = (name, facts, ...kids) => {
    const element = Object.assign(document.createElement(name), facts);
    element.append(...kids);
    return element;
  };
  const symbol = () => tag("span", { className: "sym" }, tag("i", {}, "d"), tag("sub", {}, tag("i", {}, "k")));
  const measure = () => tag("span", { className: "measured" }, tag("span", { className: "bar" }), tag("span"));
  const head = (scope) => (words) => tag("th", { scope }, words);
  const table = (caption, columns, rows) =>
    tag("table", {}, tag("caption", {}, caption),
      tag("thead", {}, tag("tr", {}, ...columns.map(head("col")))),
      tag("tbody", {}, ...rows.map(([first, ...rest]) =>
        tag("tr", {}, head("row")(first), ...rest.map((each) => tag("td", {}, each))))));

  // The ends of the slider and its middle; only they have a name, and a color of the figure.
  const stops = [
    { divisor: 1, color: "raw", said: ", which is no scaling" },
    { divisor: Math.sqrt(d_k), sign: " = √", color: "sqrt", said: ", the root of d_k" },
    { divisor: d_k, sign: " = ", color: "dk", said: ", which is d_k" },
  ];
  const name = ({ divisor, sign }) => (sign ? [brief(divisor) + sign, symbol()] : [brief(divisor)]);
  const id = "softmax_weights-divisor";
  const slider = tag("input", { type: "range", id, max: STEPS, value: STEPS / 2 });
  const chosen = tag("span", { className: "chosen", ariaHidden: "true" }); // the slider says it too
  const buttons = stops.map((stop, i) => tag("button", { type: "button", onclick: () => go((i * STEPS) / 2) }, ...name(stop)));
  const weights = scores.map((_, i) => [i + 1, tag("span"), measure()]);
  const slopes = ["the softmax input", "the raw score"].map((end) => [end, measure()]);
  const heard = tag("p", { className: "unseen", role: "status" });
  const fill = (cell, share, text) => {
    cell.firstChild.style.setProperty("--share", share);
    cell.lastChild.textContent = text;
    return text;
  };
  const show = () => {
    const stop = stops[(2 * slider.value) / STEPS] ?? { divisor: d_k ** (slider.value / STEPS) };
    const { divisor, color, said = "" } = stop;
    const inputs = scores.map((score) => score / divisor);
    const powers = inputs.map((input) => Math.exp(input - Math.max(...inputs)));
    const p = powers.map((each) => each / powers.reduce((sum, other) => sum + other));
    // p (1 − p), from the other weights: 1 − p loses its digits as p nears one
    const slope = Math.max(...p.map((one, i) => p.reduce((sum, other, j) => sum + (i === j ? 0 : one * other), 0)));
    weights.forEach(([, cell], i) => (cell.textContent = brief(inputs[i])));
    const shares = weights.map(([, , cell], i) => fill(cell, p[i], weight(p[i])));
    const seen = [slope, slope / divisor].map((each, i) => fill(slopes[i][1], each / STEEPEST, brief(each)));
    mount.style.setProperty("--bar", color ? `var(--fig-${color})` : "");
    chosen.replaceChildren(...name(stop));
    buttons.forEach((button, i) => (button.ariaPressed = stop === stops[i]));
    slider.setAttribute("aria-valuetext", `divided by ${brief(divisor)}${said}`);
    return `Weights ${shares.join(", ")}. Largest slope ${seen[0]} at the softmax input, ${seen[1]} from the raw score.`;
  };
  // What came of it is read out when the reader rests, not on the way.
  let rest;
  const tell = () => {
    clearTimeout(rest);
    rest = setTimeout(() => (heard.textContent = show()), 700);
  };
  const go = (at) => {
    slider.value = at;
    show();
    tell();
  };
  slider.oninput = show;
  slider.onchange = tell;

  show();
  if (d_k > 1)
    mount.append(tag("fieldset", {}, tag("legend", {}, "Try another divisor"),
      tag("label", { htmlFor: id }, "The same row, divided by "), chosen, slider,
      tag("div", { className: "stops" }, ...buttons),
      table("Attention weight on each key", ["Key", "Input", "Weight"], weights),
      table(`Largest slope, of ${STEEPEST} at most`, ["Seen from", "Slope"], slopes), heard));
}
