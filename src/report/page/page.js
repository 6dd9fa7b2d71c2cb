"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("scripted");

  // A filter for measures: nothing is asked of it that the page cannot do without.
  var glance = document.getElementById("glance");
  var cards = Array.prototype.slice.call(document.querySelectorAll("article.card"));
  if (glance && cards.length > 6) {
    var box = document.createElement("p");
    box.className = "filter";
    var label = document.createElement("label");
    label.textContent = "Show measures that match ";
    var input = document.createElement("input");
    input.type = "search";
    input.id = "filter";
    label.htmlFor = "filter";
    var said = document.createElement("output");
    said.htmlFor = "filter";
    box.appendChild(label);
    box.appendChild(input);
    box.appendChild(said);
    glance.insertBefore(box, glance.children[1] || null);
    var rows = Array.prototype.slice.call(
      glance.querySelectorAll("tbody tr")
    );
    input.addEventListener("input", function () {
      var word = input.value.trim().toLowerCase();
      var shown = 0;
      cards.forEach(function (card) {
        var text = card.querySelector("h3").textContent + " " + card.querySelector(".sub").textContent;
        var fits = text.toLowerCase().indexOf(word) >= 0;
        card.hidden = !fits;
        shown += fits ? 1 : 0;
      });
      rows.forEach(function (row) {
        row.hidden = row.cells[0].textContent.toLowerCase().indexOf(word) < 0;
      });
      said.textContent = word ? " " + shown + " of " + cards.length : "";
    });
  }

  // A place that is jumped to is opened, and so is everything that is printed.
  function open(id) {
    var at = id && document.getElementById(id);
    while (at) {
      if (at.tagName === "DETAILS") {
        at.open = true;
      }
      at = at.parentElement;
    }
  }
  window.addEventListener("hashchange", function () {
    open(location.hash.slice(1));
  });
  open(location.hash.slice(1));
})();
