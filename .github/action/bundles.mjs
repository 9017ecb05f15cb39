// Uploads the run bundles of failed tests as an artifact of the job, as actions/upload-artifact does (version 4 of the service).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { zipOf } from './zip.mjs';

const MOST = 50;
const TIMEOUT = 60_000;

/** The names of the bundles that were written since then. */
export function bundlesIn(folder, since) {
  if (!existsSync(folder)) return [];
  const isNew = (name) => statSync(join(folder, name)).mtimeMs >= since;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.understudy') && isNew(name))
    .toSorted()
    .slice(0, MOST);
}

/** Resolves to the address of the artifact. Rejects outside a runner of GitHub. */
export async function upload(folder, names) {
  const { run, job } = jobOf(process.env.ACTIONS_RUNTIME_TOKEN ?? '');
  const name = `understudy-bundles-${process.env.GITHUB_JOB}-${job.slice(0, 8)}`;
  const artifact = { workflow_run_backend_id: run, workflow_job_run_backend_id: job, name };
  const { signed_upload_url, signedUploadUrl = signed_upload_url } = await call('CreateArtifact', {
    ...artifact,
    version: 4,
  });
  const zip = zipOf(names.map((each) => [each, readFileSync(join(folder, each))]));
  const headers = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'application/zip' };
  await sent(signedUploadUrl, { method: 'PUT', headers, body: zip });
  const hash = { value: `sha256:${createHash('sha256').update(zip).digest('hex')}` };
  const { artifact_id, artifactId = artifact_id } = await call('FinalizeArtifact', {
    ...artifact,
    size: String(zip.length),
    hash,
  });
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = process.env;
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/artifacts/${artifactId}`;
}

/** The token of the runner names the run and the job, as the service for artifacts knows them. */
function jobOf(token) {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}');
  const [, run, job] = /\bActions\.Results:([^:\s]+):([^:\s]+)/.exec(claims.scp ?? '') ?? [];
  if (!job) throw new Error('this is no job of GitHub Actions');
  return { run, job };
}

async function call(method, body) {
  const service = 'twirp/github.actions.results.api.v1.ArtifactService';
  const url = new URL(`/${service}/${method}`, process.env.ACTIONS_RESULTS_URL);
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${process.env.ACTIONS_RUNTIME_TOKEN}`,
  };
  const answer = await (await sent(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  if (answer.ok === false) throw new Error(`${method} was refused`);
  return answer;
}

async function sent(url, options) {
  const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT) });
  if (!answer.ok) throw new Error(`${options.method} ${new URL(url).pathname}: ${answer.status}`);
  return answer;
}
