/* A table whose columns sort at a click on their headings. */
const table = document.querySelector("table.sortable"), body = table.tBodies[0];
table.querySelectorAll("th").forEach((head, column) => {
  head.querySelector("button").addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") === "descending";
    const key = row => row.cells[column].dataset.key;
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)];
      return isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
    };
    [...body.rows].sort((a, b) => (up ? 1 : -1) * order(a, b)).forEach(row => body.append(row));
    table.querySelectorAll("th").forEach(each => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
  });
});
