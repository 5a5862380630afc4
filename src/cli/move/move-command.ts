import { type CommandInput, type FlagDeclaration, JSON_FLAG } from '../command.ts';
import type { SendRequest, ServiceConnection } from '../service-client.ts';
import { checkAddress, connectService } from '../service-commands.ts';
import { type Journal, openDryJournal, openJournal } from './journal.ts';
import { patientSend } from './patient-send.ts';
import { openSource, type SourceClient } from './source-client.ts';

/**
 * What imports from other catalogs share. Read this file first: their flags, where they read from and write to, and how
 * far they are. `source-client.ts` reads the other catalog, `journal.ts` keeps how far an import is, `marquez` and
 * `openmetadata` know what the other catalogs say.
 */

/** What a command says of the catalog that it comes from. */
export type OtherCatalog = {
  readonly command: string;
  /** What the catalog is called. */
  readonly product: string;
  readonly serverVariable: string;
  readonly tokenVariable: string;
  /** The path below which its API answers. */
  readonly base: string;
  /** The file that keeps how far the import is, unless another is named. */
  readonly stateFile: string;
  readonly pageSize: number;
};

export const moveFlags = (other: OtherCatalog): readonly FlagDeclaration[] => [
  {
    name: 'server',
    kind: 'text',
    value: 'URL',
    variable: other.serverVariable,
    description: `address of ${other.product}, from which is read`,
    isRequired: true,
  },
  {
    name: 'token',
    kind: 'text',
    value: 'TOKEN',
    variable: other.tokenVariable,
    description: `token for ${other.product}; other users of this machine see what the line says, not the variable`,
  },
  {
    name: 'to',
    kind: 'text',
    value: 'URL',
    variable: 'TRIBUTARY_SERVER',
    description: 'address of the service to write to; the local one by default',
  },
  {
    name: 'to-token',
    kind: 'text',
    value: 'TOKEN',
    variable: 'TRIBUTARY_TOKEN',
    description: "token to write with; by default the local service's administrator token",
  },
  { name: 'dry-run', kind: 'switch', description: 'read all, write nothing, and tell what would come' },
  {
    name: 'state',
    kind: 'text',
    value: 'FILE',
    fallback: other.stateFile,
    description: 'file that keeps how far the import is; the next run goes on from there',
  },
  {
    name: 'page-size',
    kind: 'number',
    value: 'COUNT',
    fallback: String(other.pageSize),
    description: `number of records to ask ${other.product} for at once`,
  },
  JSON_FLAG,
];

/** An import from another catalog under way. */
export type Move = {
  readonly input: CommandInput;
  readonly command: string;
  readonly source: SourceClient;
  readonly target: ServiceConnection;
  readonly isDryRun: boolean;
  readonly pageSize: number;
  readonly journal: Journal;
};

export const openMove = async (
  input: CommandInput,
  other: OtherCatalog,
  connect: (input: CommandInput) => Promise<ServiceConnection> = (given) =>
    connectService(given, { server: 'to', token: 'to-token' }),
  send: SendRequest = fetch,
): Promise<Move> => {
  const { text, has } = input;
  const given = text('server') ?? '';
  checkAddress('server', given);
  const address = given.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '');
  const remote = await connect(input);
  const source = openSource({
    server: `${address}${other.base}`,
    token: text('token'),
    send,
    product: other.product,
    tokenName: `--token or ${other.tokenVariable}`,
  });
  const isDryRun = has('dry-run');
  const header = { import: other.product, from: address, to: remote.server };
  return {
    input,
    command: other.command,
    source,
    target: { ...remote, send: patientSend(remote.send) },
    isDryRun,
    pageSize: Math.max(1, Number(text('page-size') ?? other.pageSize)),
    journal: isDryRun ? openDryJournal() : await openJournal(text('state') ?? other.stateFile, header),
  };
};
