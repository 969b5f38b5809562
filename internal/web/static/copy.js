// A button with data-copy copies the text of the element that it names. It stays hidden where the
// browser cannot copy.
"use strict";

for (const button of navigator.clipboard ? document.querySelectorAll("button[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text to copy it";
    }
  });
}
