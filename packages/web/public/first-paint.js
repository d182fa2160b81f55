// Sets the colour scheme and the language before the first paint, so that a dark screen never flashes white.
// A classic script in its own file: the content security policy allows no inline code.
(() => {
  const root = document.documentElement;
  const theme = localStorage.getItem("balcao.theme");
  const isDark =
    theme === "dark" ||
    (theme !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  root.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
  const tags = { en: "en-GB", es: "es" };
  root.lang = tags[localStorage.getItem("balcao.language")] ?? "pt-BR";
})();
