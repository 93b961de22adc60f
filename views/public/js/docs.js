// Swagger UI's bundle is a classic script that leaves a global; it is loaded here, so that the page
// needs no inline script.
const bundle = document.createElement('script');
bundle.src = '/assets/swagger-ui/swagger-ui-bundle.js';
bundle.addEventListener('load', () => {
  globalThis.SwaggerUIBundle({
    url: '/docs/openapi.json',
    domNode: document.getElementById('swagger-ui'),
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
  });
});
document.head.append(bundle);

// Swagger UI knows no system theme, only a class; it follows the one that the page shows.
const root = document.documentElement;
const systemDark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => {
  const theme = root.dataset.theme ?? (systemDark.matches ? 'dark' : 'light');
  root.classList.toggle('dark-mode', theme === 'dark');
};
new MutationObserver(followTheme).observe(root, { attributeFilter: ['data-theme'] });
systemDark.addEventListener('change', followTheme);
followTheme();
