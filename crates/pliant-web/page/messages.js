// Messages over the page, which stay until they are closed or what they say is no longer so.

const box = document.querySelector("#messages");

// Shows a message; `key` replaces an earlier one of the same key. `button` is [label, function].
export function say(key, text, { alarm = false, button = null } = {}) {
  unsay(key);
  const message = document.createElement("div");
  message.dataset.key = key;
  message.classList.toggle("alarm", alarm);
  const words = document.createElement("p");
  words.textContent = text;
  message.append(words);
  const add = (label, work) => {
    const knob = Object.assign(document.createElement("button"), { type: "button", textContent: label });
    knob.addEventListener("click", () => {
      unsay(key);
      work();
    });
    message.append(knob);
  };
  if (button) add(...button);
  add("Close", () => {});
  box.append(message);
}

export function unsay(key) {
  for (const message of [...box.children]) if (message.dataset.key === key) message.remove();
}
