// The page of the API reference: a frame of our own around the viewer.

/** `assets` are the names of the built files that the page loads. */
export const referencePage = (assets) => `<!doctype html>
<html lang="en">
${head(assets)}
<body class="reference">
<header>
<a class="brand" href="./">Understudy</a>
<nav class="places" aria-label="Parts of Understudy"><a href="./">Dashboard</a>
<a href="reference" aria-current="true">API reference</a> <a href="docs/">Docs</a></nav>
${CHOICES}
</header>
<p id="said" role="status"></p>
${UNLOCK}
<main id="viewer" data-script="assets/${assets.viewer}"></main>
</body>
</html>
`;

const head = ({ viewerStyle, referenceStyle, referenceScript }) => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Understudy</title>
<link rel="icon" href="/favicon.ico">
${[viewerStyle, referenceStyle].map((file) => `<link rel="stylesheet" href="assets/${file}">`).join('\n')}
<script type="module" src="assets/${referenceScript}"></script>
</head>`;

const CHOICES = `<form id="choices">
<select id="document" name="document" aria-label="Document">
<option value="service">The service</option>
<option value="control">Control API</option>
</select>
<select id="environment" name="environment" aria-label="Environment"></select>
</form>`;

const UNLOCK = `<form id="unlock" class="card narrow" hidden>
<div class="field"><label for="token">Control token</label>
<input id="token" autocomplete="off" spellcheck="false"></div>
<button class="main">Unlock</button>
</form>`;
