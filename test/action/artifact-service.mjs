// Stands for GitHub's service for artifacts: keeps what is uploaded in the file that its argument names.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer, json } from 'node:stream/consumers';

let size = 0;
const server = createServer(async (request, response) => {
  const method = request.url.split('/').at(-1);
  if (request.method === 'PUT') {
    const zip = await buffer(request);
    size = zip.length;
    writeFileSync(process.argv[2], zip);
    response.writeHead(201).end();
    return;
  }
  const sent = await json(request);
  const isOf =
    sent.workflow_run_backend_id === 'run-1' && sent.workflow_job_run_backend_id === 'job-12345678';
  const isNamed = sent.name === 'understudy-bundles-test-job-1234';
  const answers = {
    CreateArtifact: { ok: sent.version === 4, signed_upload_url: `${url()}/blob?signature=1` },
    FinalizeArtifact: { ok: sent.size === String(size), artifact_id: '99' },
  };
  const answer = { ...answers[method], ...((!isOf || !isNamed) && { ok: false }) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
const url = () => `http://127.0.0.1:${server.address().port}`;
server.listen(0, '127.0.0.1', () => console.log(url()));
