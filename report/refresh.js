// Runs only in the copy of the page that a watch serves: shows what is wrong, and puts in what is new.
(() => {
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
  document.documentElement.append(notice);

  // This script is no part of the page: it takes itself out, and tells which page it came with.
  const taken = (script) => {
    script.remove();
    return script.dataset.page;
  };
  const served = async () => {
    const answer = await fetch("/");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const mark = taken(page.querySelector("script[data-page]"));
    page.normalize();
    return { mark, root: page.documentElement };
  };
  let shown = taken(document.currentScript);
  let last = served(); // as it came, whatever was opened, dragged or run in it since

  const isText = (node) => node instanceof CharacterData;
  const isScript = (node) => node?.nodeName === "SCRIPT";
  const fills = (node) => isScript(node.nextElementSibling); // a script fills the element before it
  const runs = (node) => isScript(node) || fills(node) || Boolean(node.querySelector?.("script"));
  const alike = (one, other) => one.nodeName === other.nodeName && one.id === other.id;

  // Gives an element the attributes that changed, and leaves it those that the reader's doing set.
  const dress = (live, old, now) => {
    for (const { name } of old.attributes) if (!now.hasAttribute(name)) live.removeAttribute(name);
    for (const { name, namespaceURI, value } of now.attributes)
      if (old.getAttribute(name) !== value) live.setAttributeNS(namespaceURI, name, value);
  };

  // Pairs old and new nodes that say the same or bear the same name, in order, so that most is kept: the
  // longest common subsequence, each node counted by what it says.
  const pairs = (before, after) => {
    const written = (node) => node.outerHTML ?? node.data;
    const [old, now] = [before, after].map((nodes) => nodes.map(written));
    const worth = (i, j) => {
      const same = alike(before[i], after[j]) && (before[i].id || old[i] === now[j]);
      return same ? 1 + old[i].length : 0;
    };
    const most = Array.from({ length: old.length + 1 }, () => Array(now.length + 1).fill(0));
    for (let i = old.length - 1; i >= 0; i -= 1)
      for (let j = now.length - 1; j >= 0; j -= 1)
        most[i][j] = Math.max(most[i + 1][j], most[i][j + 1], worth(i, j) + most[i + 1][j + 1]);
    const found = [];
    for (let [i, j] = [0, 0]; most[i][j] > 0; )
      if (most[i][j] === most[i + 1][j]) i += 1;
      else if (most[i][j] === most[i][j + 1]) j += 1;
      else found.push([i++, j++]);
    return found;
  };

  // Changes only what differs between the old form of a node and its new one, so that all else stays
  // as the reader has it; tells whether it could: a script would have to run anew.
  const blend = (live, old, now) => {
    if (old.isEqualNode(now)) return true;
    if (isScript(now) || fills(now)) return false;
    if (isText(now)) {
      live.data = now.data;
      return true;
    }
    dress(live, old, now);
    const [here, before, after] = [live, old, now].map((node) =>
      [...node.childNodes].filter((child) => child !== notice),
    );
    if (here.length !== before.length) return false; // a script changed it
    const least = Math.min(before.length, after.length);
    let above = 0;
    while (above < least && before[above].isEqualNode(after[above])) above += 1;
    let below = 0;
    while (below < least - above && before.at(-1 - below).isEqualNode(after.at(-1 - below)))
      below += 1;
    const within = (nodes) => nodes.slice(above, nodes.length - below);
    const [mine, gone, come] = [here, before, after].map(within);
    let [i, j] = [0, 0];
    for (const [k, l] of [...pairs(gone, come), [gone.length, come.length]]) {
      const next = here[above + k] ?? null;
      if (!swap(live, mine.slice(i, k), gone.slice(i, k), come.slice(j, l), next)) return false;
      if (k < gone.length && !blend(mine[k], gone[k], come[l])) return false;
      [i, j] = [k + 1, l + 1];
    }
    return true;
  };

  // Puts some new nodes in the place of old ones, one into the other where they are of the same kinds.
  const swap = (live, mine, gone, come, next) => {
    if (gone.length === come.length && gone.every((node, i) => alike(node, come[i])))
      return gone.every((node, i) => blend(mine[i], node, come[i]));
    if ([...gone, ...come].some(runs)) return false;
    mine.forEach((node) => node.remove());
    come.forEach((node) => live.insertBefore(document.importNode(node, true), next));
    return true;
  };

  const follow = async () => {
    const [old, now] = [await last, await served()];
    document.normalize();
    const known = old.mark === shown && alike(old.root, now.root);
    if (!known || !blend(document.documentElement, old.root, now.root))
      throw new Error("this page has to be loaded anew");
    shown = now.mark;
    last = now;
  };
  let turn = Promise.resolve();
  new EventSource("/events").onmessage = ({ data }) => {
    const { page, fault } = JSON.parse(data);
    turn = turn
      .then(() => (page === shown ? null : follow()))
      .then(() => say(fault))
      .catch(() => location.reload());
  };
})();
