// A box that scrolls can be reached with the keyboard.
const reachable = () => document.querySelectorAll("article pre, article .table-wrapper, article form + div").forEach((box) => {
  if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
});
addEventListener("load", reachable);
addEventListener("resize", reachable);
