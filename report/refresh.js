// Runs only in the copy of the page that a watch serves: shows what is wrong, and loads what is new.
(() => {
  const own = document.currentScript.dataset.page;
  const notice = document.createElement("div");
  notice.setAttribute("role", "alert");
  notice.style.cssText =
    "position:fixed;inset:auto 0 0;z-index:9;max-height:40vh;overflow:auto;box-sizing:border-box;" +
    "padding:.8em 1.2em;background:#7a1420;color:#fff;font:16px/1.45 system-ui,sans-serif;" +
    "white-space:pre-wrap;overflow-wrap:anywhere";
  const say = (fault) => {
    notice.style.display = fault ? "block" : "none";
    notice.textContent = fault;
  };
  say("");
  document.body.append(notice);
  new EventSource("/events").onmessage = ({ data }) => {
    const { page, fault } = JSON.parse(data);
    if (page === own) say(fault);
    else location.reload();
  };
})();
