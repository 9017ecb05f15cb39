// A decoder of others reads the QR codes of the page for authenticator apps, in all sizes.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { installFromNpm } from './support/install.mjs';

const ADDRESS = 'otpauth://totp/Scalekit:ada%40acme.example?secret=JBSWY3DPEHPK3PXP&issuer=Scalekit&x=';
const LENGTHS = [1, 14, 15, 40, 100, 101, 130, 180, 240, 300, 400, 440];
/** Pixels of a module, and light modules around the code. */
const [SCALE, MARGIN] = [4, 4];

/** A line for each finding. */
export async function door() {
  const folder = installFromNpm(['jsqr@1.4.0']);
  const decode = createRequire(join(folder, 'x.js'))('jsqr');
  const qrModules = await encoder();
  return LENGTHS.flatMap((length) => {
    const text = `${ADDRESS}${'aé&7'.repeat(length)}`.slice(0, length);
    const read = decode(...pixelsOf(qrModules(text)))?.data;
    if (read === text) return [];
    return [`jsqr reads ${read ?? 'nothing'} in the code of a text with ${length} characters`];
  });
}

/** From the source: the build has no file of its own for it. */
async function encoder() {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-qr-'));
  try {
    const outfile = join(folder, 'qr-code.mjs');
    const entry = join(import.meta.dirname, '../../src/pages/qr-code.ts');
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
    return (await import(pathToFileURL(outfile).href)).qrModules;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pixelsOf(modules) {
  const width = (modules.length + 2 * MARGIN) * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let y = 0; y < width; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [row, column] = [y, x].map((at) => Math.floor(at / SCALE) - MARGIN);
      if (modules[row]?.[column]) pixels.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  return [pixels, width, width];
}
