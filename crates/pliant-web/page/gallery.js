// The scenes that come with Pliant.

export class Gallery {
  // `open(scene)` is called with the one that is chosen.
  constructor(open) {
    this.list = document.querySelector("#scenes ul");
    this.open = open;
    this.all = fetch(new URL("scenes.json", import.meta.url)).then((answer) => {
      if (!answer.ok) throw new Error(`the list of scenes cannot be loaded: ${answer.status} ${answer.statusText}`);
      return answer.json();
    });
    this.buttons = new Map();
    this.all.then((scenes) => this.list.replaceChildren(...scenes.map((scene) => this.item(scene))), () => {});
  }

  item(scene) {
    const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
    const button = make("button", { type: "button" });
    const picture = make("img", { src: scene.picture, alt: "", loading: "lazy", width: 280, height: 175 });
    const title = make("strong", { textContent: scene.title });
    const text = make("small", { textContent: scene.description });
    button.append(picture, title, text);
    button.addEventListener("click", () => this.open(scene));
    this.buttons.set(scene.name, button);
    const item = document.createElement("li");
    item.append(button);
    return item;
  }

  async find(name) {
    return (await this.all).find((scene) => scene.name === name);
  }

  async text(scene) {
    const answer = await fetch(new URL(scene.file, import.meta.url));
    if (!answer.ok) throw new Error(`the scene ${scene.name} cannot be loaded: ${answer.status} ${answer.statusText}`);
    return answer.text();
  }

  mark(name) {
    for (const [other, button] of this.buttons) button.setAttribute("aria-current", other === name);
  }
}
