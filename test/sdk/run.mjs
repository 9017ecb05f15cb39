// Proves that the official SDKs work unmodified: runs the program of each language against a simulator of its
// own. A program is `run.mjs` or an executable `run.sh` in a folder here. It gets the simulator's addresses
// and credentials in UNDERSTUDY_URL, _TLS_URL, _CA (a file), _CLIENT_ID, _CLIENT_SECRET and _CONTROL.
//
//   node test/sdk/run.mjs            every language
//   node test/sdk/run.mjs go python  these
//   node test/sdk/run.mjs --record   writes evidence/programs/: which operations the SDKs called
import { runPrograms } from '../../scripts/language-programs.mjs';
import { checkCalls } from './called-operations.mjs';
import { startSimulator } from './simulator.mjs';

const isRecording = process.argv.includes('--record');

await runPrograms({
  folder: import.meta.dirname,
  files: ['run.mjs', 'run.sh'],
  wanted: process.argv.slice(2).filter((each) => each !== '--record'),
  prepare: async () => {
    const simulator = await startSimulator();
    const passed = (language) => checkCalls(language, simulator.variables.UNDERSTUDY_CONTROL, isRecording);
    return { ...simulator, passed };
  },
});
