import type { CommandInput } from './command.ts';
import { openEventSender, tellEvents } from './event-sender.ts';
import { readObjects } from './read-events.ts';
import type { ServiceConnection } from './service-client.ts';

/** Sends OpenLineage events of a file to a running service and tells what became of them. */

const COMMAND = 'import openlineage';

/** Sends the events of a file in batches. The exit code is 1 when one was refused. */
export const importOpenLineage = async (input: CommandInput, remote: ServiceConnection): Promise<number> => {
  const [file = ''] = input.positionals;
  const sender = openEventSender(remote, {
    command: COMMAND,
    parseSql: input.has('parse-sql'),
    onSent: ({ events }) => input.output.progress(`${events.toLocaleString('en')} events sent`),
  });
  for await (const read of readObjects(file)) {
    if ('fault' in read) sender.refuse(read.place, read.fault);
    else await sender.add(read.place, read.value);
  }
  await sender.flush();
  const { summary } = sender;
  await tellEvents(input, remote, { command: COMMAND, summary });
  if (summary.events === 0) input.output.note(`${file} holds no event.`);
  return summary.refused > 0 || summary.events === 0 ? 1 : 0;
};
