import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The failed checks in the fuzzer's event log. */
export async function findingsIn(file) {
  const found = [];
  for await (const line of createInterface(createReadStream(file))) {
    const { recorder } = JSON.parse(line).ScenarioFinished ?? {};
    for (const [id, checks] of Object.entries(recorder?.checks ?? {}))
      for (const check of checks.filter(({ status }) => status === 'failure'))
        found.push(findingOf(recorder.label, check, recorder.interactions[id]));
  }
  return found;
}

function findingOf(operation, { name, failure_info: { failure } }, interaction) {
  const { method, uri } = interaction.request;
  const told = [
    failure.message.split('\n').slice(2).join(' '),
    answerOf(interaction),
    `${method} ${pathOf(uri)}`,
  ];
  const request = textOf(interaction.request.body).slice(0, 300);
  return { check: name, operation, says: [...told, request].filter(Boolean).join(' | ') };
}

function answerOf({ response }) {
  if (!response) return 'no answer';
  const text = textOf(response.content);
  const title = /<title>(.*?)<\/title>/.exec(text)?.[1];
  return `${response.status_code} ${title ?? text.replaceAll(/"details":\[\{"@type":[^,]*,/g, '').slice(0, 400)}`;
}

const pathOf = (uri) => new URL(uri).pathname + new URL(uri).search;

const textOf = (content) => (content?.$base64 ? Buffer.from(content.$base64, 'base64').toString() : '');
