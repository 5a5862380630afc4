import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import type { Answer } from '../../src/http/route.ts';
import type { HandedCall, MessageFromLane } from '../../src/lane/messages.ts';
import { serveLane } from '../../src/lane/serve-lane.ts';
import { suite } from '../support/suite.ts';

/** Shows that the lane sends an answer that is kept for further callers, and still has it afterwards. */

const test = suite('lane: kept answers');

test('what is kept can be sent again', async () => {
  const content = new TextEncoder().encode('{"kept":true}');
  const answers: Readonly<Record<string, Answer>> = {
    encoded: { status: 200, encoded: { mediaType: 'application/json', content } },
    json: { status: 200, json: { kept: true } },
    text: { status: 200, text: { mediaType: 'application/json', content: '{"kept":true}' } },
  };
  const app = {
    routes: Object.entries(answers).map(([path, answer]) => ({ method: 'GET', path, handle: async () => answer })),
    engine: { jobs: { employ: () => () => {}, onAnnounced: () => {} } },
  } as unknown as App;
  const { port1: main, port2: lane } = new MessageChannel();
  serveLane(lane, app, undefined, async () => {});
  try {
    for (const path of [...Object.keys(answers), ...Object.keys(answers)]) {
      const handed = { ...{ type: 'call', id: 1, method: 'GET', path, body: [] }, headers: {}, query: '' };
      main.postMessage({ ...handed, principal: { isAdmin: true } } as unknown as HandedCall);
      let message: MessageFromLane;
      do [message] = await once(main, 'message', { signal: AbortSignal.timeout(10_000) });
      while (message.type !== 'answer' && message.type !== 'failure');
      assert.is(message.type, 'answer');
      const { encoded } = message as Extract<MessageFromLane, { type: 'answer' }>;
      assert.is(Buffer.from(encoded?.content ?? []).toString(), '{"kept":true}', path);
    }
    assert.is(content.length, 13);
  } finally {
    main.close();
    lane.close();
  }
});

test.run();
