// Passkeys are the one thing here that HTML alone cannot do. A form with
// data-passkey asks the server what to ask for, asks the browser, puts the
// answer into its hidden fields and sends itself like any other form.
"use strict";

const able = window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON;

async function ask(form) {
  const answer = await fetch("/app/passkey/options", {
    method: "POST",
    body: new URLSearchParams({ for: form.dataset.passkey }),
  });
  const begun = await answer.json();
  if (!answer.ok) throw new Error(begun.error);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.options.publicKey);
  const credential = await navigator.credentials.get({ publicKey });
  form.elements.state.value = begun.state;
  form.elements.response.value = JSON.stringify(credential.toJSON());
}

for (const form of able ? document.querySelectorAll("form[data-passkey]") : []) {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = form.querySelector(".error");
    problem.hidden = true;
    try {
      await ask(form);
      form.submit();
    } catch (error) {
      problem.textContent = error.name === "NotAllowedError" ? "No passkey was given." : error.message;
      problem.hidden = false;
    }
  });
}
