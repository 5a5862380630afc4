import { once } from 'node:events';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { StartupError } from '../errors.ts';
import { WRITE_HEADER } from '../mcp/write-header.ts';
import type { CommandInput } from './command.ts';
import { type Output, stripControls } from './output.ts';
import { createServiceRequest, type ServiceConnection } from './service-client.ts';
import { connectService } from './service-commands.ts';

/**
 * Lets assistants that start a program reach the Model Context Protocol of a running service: messages from the
 * standard input go to the service, its answers to the standard output, which carries nothing else.
 */

const describeFailure = (failure: unknown, server: string): string => {
  if (failure instanceof StreamableHTTPError) {
    return failure.code === 401 ? `${server} refuses the token` : `${server} answered ${failure.code} to a message`;
  }
  return `No service answers at ${server}`;
};

/** Answers a request that did not reach the service, so that the client does not wait for it. */
const answerFailure = async (client: Transport, message: JSONRPCMessage, text: string): Promise<void> => {
  if (!('method' in message) || !('id' in message)) return;
  const error = { code: ErrorCode.InternalError, message: text };
  await client.send({ jsonrpc: '2.0', id: message.id, error });
};

/** Connects the client's transport with that of the service. Resolves when all that was read is answered. */
const relay = async (client: StdioServerTransport, service: Transport, server: string, output: Output) => {
  const pending = new Set<Promise<void>>();
  let version: string | undefined;
  client.onmessage = (message) => {
    const sent = service
      .send(message)
      .catch(async (failure: unknown) => {
        const text = stripControls(describeFailure(failure, server));
        output.note(text);
        await answerFailure(client, message, text);
      })
      .finally(() => pending.delete(sent));
    pending.add(sent);
  };
  client.onerror = ({ message }) => output.note(stripControls(`A message was not understood: ${message}`));
  service.onmessage = (message) => {
    const agreed = 'result' in message ? message.result['protocolVersion'] : undefined;
    if (version === undefined && typeof agreed === 'string') {
      version = agreed;
      service.setProtocolVersion?.(agreed);
    }
    void client.send(message);
  };
  await service.start();
  await client.start();
  await once(process.stdin, 'end');
  while (pending.size > 0) await Promise.all(pending);
};

/** Tells at once, in words, that nobody answers or that the token is refused. */
const checkService = async (remote: ServiceConnection): Promise<void> => {
  await createServiceRequest(remote)('mcp', 'GET', 'users/loggedInUser');
};

export const runMcp = async (input: CommandInput): Promise<number> => {
  const remote = await connectService(input);
  await checkService(remote);
  const address = `${remote.server}/mcp`;
  if (!URL.canParse(address)) throw new StartupError(`${remote.server} is no address of a service`);
  const service = new StreamableHTTPClientTransport(new URL(address), {
    requestInit: {
      headers: { authorization: `Bearer ${remote.token}`, ...(input.has('write') ? { [WRITE_HEADER]: 'on' } : {}) },
    },
  });
  const client = new StdioServerTransport();
  try {
    await relay(client, service as Transport, remote.server, input.output);
  } finally {
    await service.close();
    await client.close();
  }
  return 0;
};
