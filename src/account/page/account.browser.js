// The script of the account page: creates and revokes API keys through the API, and signs the
// browser out.
(() => {
  const byId = (id) => document.getElementById(id);
  const form = byId("new-key");
  const list = byId("keys");

  async function call(method, path, body) {
    const answer = await fetch(path, {
      method,
      headers: { "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    const { data, error } = text === "" ? {} : JSON.parse(text);
    if (!answer.ok) throw new Error(error);
    return data;
  }

  /** Runs one action at a time. A failure is shown, and changes nothing else on the page. */
  async function attempt(button, act) {
    byId("trouble").textContent = "";
    button.disabled = true;
    try {
      await act();
    } catch ({ message }) {
      byId("trouble").textContent = message;
    }
    button.disabled = false;
  }

  function rowOf({ id, name, lastFour, createdAt }) {
    const row = byId("key-row").content.firstElementChild.cloneNode(true);
    row.dataset.key = id;
    row.querySelector("b").textContent = name;
    row.querySelector("span").textContent = `…${lastFour}, made ${createdAt.slice(0, 10)}, never used`;
    return row;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(form.querySelector("button"), async () => {
      const made = await call("POST", "/api/user/api-keys", { name: form.elements.name.value });
      form.reset();
      byId("made-key").textContent = made.key;
      byId("made").hidden = false;
      list.append(rowOf(made));
    });
  });

  list.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    const row = button.closest("li");
    const name = row.querySelector("b").textContent;
    if (!confirm(`Revoke ${name}? Programs that use it are refused from then on.`)) return;
    attempt(button, async () => {
      await call("DELETE", `/api/user/api-keys/${row.dataset.key}`);
      row.remove();
      byId("made").hidden = true;
    });
  });

  byId("sign-out").addEventListener("click", ({ target }) =>
    attempt(target, async () => {
      await call("POST", "/api/auth/sign-out");
      location.reload();
    }),
  );
})();
