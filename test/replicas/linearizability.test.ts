import { describe, expect, it } from 'vitest';
import { Generator } from '../../src/state/ids.ts';
import { check, type Operation } from './linearizability.ts';
import { ORGANIZATION, type OrganizationCall, type State } from './organization-model.ts';

type Entry = Operation<OrganizationCall>;

const UNKNOWN = Infinity;

const op = (invoked: number, completed: number, input: OrganizationCall): Entry => ({
  invoked,
  completed,
  input,
});
const create = (born: string, result?: 'created' | 'taken'): OrganizationCall => ({
  call: 'create',
  born,
  value: `${born}0`,
  result,
});
const update = (born: string, value: string, result?: 'updated' | 'absent'): OrganizationCall => ({
  call: 'update',
  born,
  value,
  result,
});
const remove = (born: string, result?: 'deleted' | 'absent'): OrganizationCall => ({
  call: 'delete',
  born,
  result,
});
const read = (born: string, value: string): OrganizationCall => ({ call: 'read', result: { born, value } });
const absent: OrganizationCall = { call: 'read', result: 'absent' };

const isLinearizable = (history: Entry[]) => check(ORGANIZATION, history).linearizable;

describe('a history that is linearizable', () => {
  it.each<[string, Entry[]]>([
    ['is empty', []],
    [
      'has calls one after the other',
      [
        op(1, 2, absent),
        op(3, 4, create('a', 'created')),
        op(5, 6, update('a', 'a1', 'updated')),
        op(7, 8, read('a', 'a1')),
        op(9, 10, remove('a', 'deleted')),
        op(11, 12, absent),
        op(13, 14, create('b', 'created')),
        op(15, 16, update('a', 'a2', 'absent')),
      ],
    ],
    [
      'has reads that see a concurrent write sooner and later',
      [
        op(1, 2, create('a', 'created')),
        op(3, 10, update('a', 'a1', 'updated')),
        op(4, 5, read('a', 'a0')),
        op(6, 7, read('a', 'a1')),
        op(8, 9, read('a', 'a1')),
      ],
    ],
    [
      'has two concurrent creations, of which one wins',
      [op(1, 5, create('a', 'taken')), op(2, 6, create('b', 'created')), op(7, 8, read('b', 'b0'))],
    ],
    [
      'has an unknown write that takes effect late',
      [
        op(1, 2, create('a', 'created')),
        op(3, UNKNOWN, update('a', 'a1')),
        op(4, 5, read('a', 'a0')),
        op(6, 7, update('a', 'a2', 'updated')),
        op(8, 9, read('a', 'a2')),
        op(10, 11, read('a', 'a1')),
      ],
    ],
    [
      'has unknown writes that never take effect',
      [
        op(1, UNKNOWN, create('a')),
        op(2, UNKNOWN, create('b')),
        op(3, 4, absent),
        op(5, 6, create('c', 'created')),
        op(7, UNKNOWN, remove('c')),
        op(8, 9, read('c', 'c0')),
      ],
    ],
    [
      'needs a choice that is found to be wrong only later',
      [
        op(1, 2, create('a', 'created')),
        op(3, 9, update('a', 'a1', 'updated')),
        op(4, 9, update('a', 'a2', 'updated')),
        op(5, 9, update('a', 'a3', 'updated')),
        op(10, 11, read('a', 'a1')),
      ],
    ],
  ])('%s', (_, history) => {
    expect(isLinearizable(history)).toBe(true);
  });
});

describe('a history that is not linearizable', () => {
  it.each<[string, Entry[]]>([
    ['has lost a creation', [op(1, 2, create('a', 'created')), op(3, 4, absent)]],
    [
      'has lost an update',
      [op(1, 2, create('a', 'created')), op(3, 4, update('a', 'a1', 'updated')), op(5, 6, read('a', 'a0'))],
    ],
    [
      'has a stale read',
      [
        op(1, 2, create('a', 'created')),
        op(3, 10, update('a', 'a1', 'updated')),
        op(4, 5, read('a', 'a1')),
        op(6, 7, read('a', 'a0')),
      ],
    ],
    [
      'shows a write before it was made',
      [op(1, 2, create('a', 'created')), op(3, 4, read('a', 'a1')), op(5, 6, update('a', 'a1', 'updated'))],
    ],
    [
      'shows a write that was refused',
      [op(1, 2, create('a', 'created')), op(3, 4, update('a', 'a1', 'absent'))],
    ],
    ['gives an external id twice', [op(1, 2, create('a', 'created')), op(3, 4, create('b', 'created'))]],
    [
      'deletes twice',
      [op(1, 2, create('a', 'created')), op(3, 6, remove('a', 'deleted')), op(4, 7, remove('a', 'deleted'))],
    ],
    [
      'has an unknown write that takes effect twice',
      [
        op(1, 2, create('a', 'created')),
        op(3, UNKNOWN, update('a', 'a1')),
        op(4, 5, read('a', 'a1')),
        op(6, 7, update('a', 'a2', 'updated')),
        op(8, 9, read('a', 'a1')),
      ],
    ],
    [
      'has an unknown write that takes effect before it was sent',
      [op(1, 2, create('a', 'created')), op(3, 4, read('a', 'a1')), op(5, UNKNOWN, update('a', 'a1'))],
    ],
    [
      'has two owners, each with its own writes',
      [
        op(1, 2, create('a', 'created')),
        op(3, 4, update('a', 'a1', 'updated')),
        op(5, 6, update('a', 'b1', 'updated')),
        op(7, 8, read('a', 'a1')),
        op(9, 10, read('a', 'b1')),
      ],
    ],
  ])('%s', (_, history) => {
    expect(isLinearizable(history)).toBe(false);
  });

  it('is reported with the operation that fits nowhere', () => {
    const history = [op(1, 2, create('a', 'created')), op(3, 4, absent), op(5, 6, read('a', 'a0'))];

    expect(check(ORGANIZATION, history)).toEqual({
      linearizable: false,
      longest: [history[0]],
      stuck: history[1],
    });
  });
});

/** Runs random calls in a random order. Each takes effect once between its beginning and its end; some lose their answer. */
function randomHistory(generator: Generator, count: number): Entry[] {
  let state: State = 'absent';
  return Array.from({ length: count }, (_, index) => {
    const at = index * 10;
    const input = randomCall(generator, state, `v${index}`);
    const effect = { ...input, result: undefined } as OrganizationCall;
    if (input.call !== 'read') state = ORGANIZATION.step(state, effect)!;
    const isLost = input.call !== 'read' && generator.draw() < 0.05;
    const [invoked, completed] = [at - generator.draw() * 40, at + generator.draw() * 40];
    return isLost ? op(invoked, UNKNOWN, effect) : op(invoked, completed, input);
  });
}

function randomCall(generator: Generator, state: State, name: string): OrganizationCall {
  const draw = generator.draw();
  if (draw < 0.5) return { call: 'read', result: state };
  if (state === 'absent') return create(name, 'created');
  if (draw < 0.6) return create(name, 'taken');
  return draw < 0.9 ? update(state.born, name, 'updated') : remove(state.born, 'deleted');
}

describe('a random history', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => `history ${index}`);

  it('is linearizable if each call took effect at one moment', () => {
    for (const seed of seeds) {
      const history = randomHistory(new Generator(seed), 100);
      expect({ seed, ok: isLinearizable(history) }).toEqual({ seed, ok: true });
    }
  });

  it('is not linearizable with one more read of a value that was overwritten before', () => {
    for (const seed of seeds) {
      const history = randomHistory(new Generator(seed), 100);
      const old = history.find(({ input }) => input.call === 'read' && input.result !== 'absent')!.input;
      const stale = [
        ...history,
        op(10_000, 10_001, old),
        op(10_002, 10_003, absent),
        op(10_004, 10_005, old),
      ];
      expect({ seed, ok: isLinearizable(stale) }).toEqual({ seed, ok: false });
    }
  });
});
