/**
 * `npm run bench:layout`: lays five graphs out by the explorer's own layout, by elkjs and by dagre, and prints how long
 * each takes, how many lines cross or run beneath a box, how far boxes move when a twentieth comes, and how large the
 * engine is when it comes to the browser.
 */
import { fork } from 'node:child_process';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { packageRoot } from '../../src/graph/package-root.ts';
import { ENGINES, type EngineName } from './layout-engines.ts';
import { GRAPHS, type GraphName } from './layout-graphs.ts';

type Measured = {
  readonly ms: number;
  readonly crossings: number;
  readonly beneath: number;
  readonly moved: number;
};

/** Nobody waits longer for a graph. */
const MOST_MS = 120_000;

/** Undefined where the engine fails or does not end. */
const measure = (engine: EngineName, graph: GraphName) =>
  new Promise<Measured | undefined>((resolve) => {
    const child = fork(new URL('./layout-worker.ts', import.meta.url), [engine, graph], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
    let measured: Measured | undefined;
    child.on('message', (message) => {
      measured = message as Measured;
    });
    child.on('exit', () => {
      clearTimeout(timer);
      resolve(measured);
    });
  });

const ENTRIES: Readonly<Record<EngineName, string>> = {
  ours: 'src/explorer/layout/place-boxes.ts',
  elkjs: 'node_modules/elkjs/lib/elk.bundled.js',
  dagre: 'node_modules/@dagrejs/dagre/dist/dagre.esm.js',
};

/** The bytes of an engine as a browser gets it: bundled, made small and compressed. */
const sizeOf = async (engine: EngineName): Promise<number> => {
  const built = await build({
    root: packageRoot,
    configFile: false,
    logLevel: 'silent',
    build: { lib: { entry: ENTRIES[engine], formats: ['es'] }, write: false, minify: true },
  });
  const [first] = [built].flat();
  const code =
    first && 'output' in first ? first.output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('') : '';
  return brotliCompressSync(code).length;
};

const line = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);

const round = (value: number): string => Math.round(value).toLocaleString('en-GB');

const names = Object.keys(ENGINES) as EngineName[];
line(['graph', 'engine', 'ms', 'lines that cross', 'lines beneath a box', 'px that half the boxes move']);
line(Array.from({ length: 6 }, () => '---'));
for (const graph of Object.keys(GRAPHS) as GraphName[]) {
  const { boxes, links } = await GRAPHS[graph]();
  for (const engine of names) {
    const measured = await measure(engine, graph);
    const title = `${graph}: ${boxes.length} boxes, ${links.length} links`;
    const figures = measured && [measured.ms, measured.crossings, measured.beneath, measured.moved].map(round);
    line([title, engine, ...(figures ?? [`fails, or takes more than ${MOST_MS / 1000} s`, '', '', ''])]);
  }
}
for (const engine of names) console.log(`${engine}: ${round((await sizeOf(engine)) / 1000)} KB compressed`);
