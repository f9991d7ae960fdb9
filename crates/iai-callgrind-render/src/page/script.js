"use strict";
// Tables that can be sorted and filtered, and charts that show their commits. Without a script all of it is readable.
{
  const text = (row, column) => row.cells[column]?.textContent.trim() ?? "";
  // A number with its sign and separators; an increase from zero is larger than all. Texts and empty cells come last
  const number = (content) => {
    if (content === "from 0") return Infinity;
    if (content === "to 0") return -100;
    const match = /^[+-]?[0-9.]+/.exec(content.replaceAll(",", ""));
    return match ? Number(match[0]) : null;
  };
  const words = new Intl.Collator(undefined, { numeric: true });

  const compare = (one, other, isNumeric) => {
    if (!isNumeric) return words.compare(one, other);
    const [left, right] = [number(one), number(other)];
    if (left === null || right === null) return (left === null) - (right === null);
    return left - right;
  };

  const sort = (table, header) => {
    const column = header.cellIndex;
    const isNumeric = header.classList.contains("number");
    const first = isNumeric ? "descending" : "ascending";
    const second = isNumeric ? "ascending" : "descending";
    const order = header.getAttribute("aria-sort") === first ? second : first;
    for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [text(row, column), row]);
    rows.sort(([one], [other]) => {
      const missing = isNumeric && (number(one) === null) !== (number(other) === null);
      return compare(one, other, isNumeric) * (missing ? 1 : sign);
    });
    body.append(...rows.map(([, row]) => row));
    filter(table);
  };

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    for (const header of table.tHead.rows[0].cells) {
      if ("unsorted" in header.dataset) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sort(table, header));
    }
  }

  // Unchanged benchmarks are folded: a name in the filter finds them, too
  const isFolded = (classes) => classes.contains("unchanged") && !classes.contains("timed");
  const hasStatus = (classes, status) =>
    status === "" || (status === "changed" ? !isFolded(classes) : classes.contains(status));

  // Shows the rows that contain all words and have the selected status: of a long table the first ones, because the layout
  // of thousands of rows takes seconds
  const filter = (table) => {
    const button = document.querySelector(`[data-all="${table.id}"]`);
    const most = button && !button.hidden ? Number(button.dataset.most) : Infinity;
    const field = document.querySelector(`[data-filter="${table.id}"]`);
    const select = document.querySelector(`[data-status="${table.id}"]`);
    const wanted = (field?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const findsAll = select?.value === "changed" && wanted.length > 0;
    const status = findsAll ? "" : select?.value ?? "";
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const name = row.querySelector("th").textContent.toLowerCase();
      const isShown = wanted.every((word) => name.includes(word))
        && hasStatus(row.cells[row.cells.length - 1].classList, status);
      shown += isShown;
      row.classList.toggle("hidden", !isShown || shown > most);
      row.classList.toggle("listed", isShown && shown <= most);
    }
    const count = document.querySelector(`[data-count="${table.id}"]`);
    if (count) count.value = `${shown} of ${table.tBodies[0].rows.length} benchmarks`;
  };

  for (const field of document.querySelectorAll("[data-filter], [data-status]")) {
    const table = document.getElementById(field.dataset.filter ?? field.dataset.status);
    field.addEventListener("input", () => filter(table));
    // The browser can keep the fields of an earlier visit
    if (field.value !== "") filter(table);
  }

  // Marks the frames of all flamegraphs whose function contains the text, also of those that are loaded later
  for (const field of document.querySelectorAll("[data-search]")) {
    const frames = document.querySelectorAll("iframe.flamegraph");
    const search = ({ contentWindow }) => {
      const term = field.value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      contentWindow.reset_search?.();
      if (term !== "") contentWindow.search?.(term);
    };
    field.addEventListener("input", () => frames.forEach(search));
    for (const frame of frames) frame.addEventListener("load", () => search(frame));
  }

  for (const button of document.querySelectorAll("[data-all]")) {
    button.addEventListener("click", () => {
      button.hidden = true;
      filter(document.getElementById(button.dataset.all));
    });
  }

  document.addEventListener("keydown", (event) => {
    const field = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!field || event.target.matches("input, select") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    field.focus();
  });

  for (const chart of document.querySelectorAll("[data-chart]")) {
    const marks = Array.from(chart.querySelectorAll("circle[data-text]"));
    const output = chart.closest("figure").querySelector("output");
    let current = -1;
    const show = (index) => {
      if (index === current) return;
      marks[current]?.classList.remove("shown");
      current = index;
      marks[current].classList.add("shown");
      output.value = marks[current].dataset.text;
    };
    chart.addEventListener("pointermove", (event) => {
      const x = event.clientX - chart.querySelector("svg").getBoundingClientRect().left;
      const distance = (mark) => Math.abs(mark.cx.baseVal.value - x);
      show(marks.reduce((best, mark, index) => distance(mark) < distance(marks[best]) ? index : best, 0));
    });
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const start = current < 0 ? marks.length - (step > 0 ? 1 : 0) : current;
      if (step) show(Math.min(Math.max(start + step, 0), marks.length - 1));
      else if (event.key === "Home") show(0);
      else if (event.key === "End") show(marks.length - 1);
      else return;
      event.preventDefault();
    });
  }
}
