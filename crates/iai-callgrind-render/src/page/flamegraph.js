"use strict";
// A document in a frame has no address that could keep the state
history.replaceState = () => {};
for (const frame of document.querySelectorAll("#frames > g, #frames > a")) frame.setAttribute("tabindex", "0");
document.addEventListener("keydown", (event) => {
  const place = event.target.querySelector?.("rect");
  if (event.key === "Enter" && place) place.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  if (event.key === "Escape") unzoom();
});
