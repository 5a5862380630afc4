/** The configuration of the embedded server and the options of its Java process. */

const SERVER_FOLDERS = ['data', 'import', 'plugins', 'run'];

/** Builds the settings file. Paths are relative to the home, so that no character in them needs escaping. */
export const formatServerSettings = (port: number, pagecache: string): string =>
  `${[
    'server.directories.logs=logs',
    ...SERVER_FOLDERS.map((name) => `server.directories.${name}=neo4j/${name}`),
    `server.bolt.listen_address=127.0.0.1:${port}`,
    'server.http.enabled=false',
    'server.https.enabled=false',
    'dbms.security.auth_enabled=true',
    'dbms.usage_report.enabled=false',
    'db.logs.query.enabled=OFF',
    // By default a statement is planned anew for lists of 1, of 2 to 10, of 11 to 100 entries and so on, each for as long
    // as half a second. The plans are the same: all start from an index for each row.
    'internal.cypher.use_parameter_size=false',
    // Statements start from the index that they name, however many records there are. By default, a catalog that is being
    // filled would have most of them planned anew every ten seconds.
    'dbms.cypher.min_replan_interval=1h',
    // The default of 1,000 plans is fewer than there are statements, and some would be made again and again.
    'server.memory.query_cache.per_db_cache_num_entries=5000',
    // Searches refresh the full-text index themselves. Refreshing it after each commit would cost the most.
    'db.index.fulltext.eventually_consistent_refresh_interval=1s',
    // Logs of transactions serve a recovery, which needs those since the last checkpoint; they are always kept. By default,
    // all of two days are: 27 GB after a million tables, more than the store itself.
    'db.tx_log.rotation.retention_policy=512M size',
    `server.memory.pagecache.size=${pagecache}`,
    // The store closes within 0.2 s of a signal. By default, the Bolt threads would then idle for another 10 s.
    'internal.dbms.bolt.netty_server_shutdown_quiet_period=0',
  ].join('\n')}\n`;

const OPENED_PACKAGES = ['java.nio', 'java.io', 'sun.nio.ch', 'java.util.concurrent'];

const parseBytes = (size: string): number => {
  const unit = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }[size.slice(-1).toLowerCase()] ?? 1;
  return Number.parseInt(size, 10) * unit;
};

/** Up to this size, the whole heap is collected while the server idles, which stops it for less than a second. */
const MAX_SMALL_HEAP = 2 * 2 ** 30;

/**
 * The heap starts small, grows to its limit and shrinks when the server idles: after two minutes without a collection,
 * a full one runs, and only that shrinks the heap to what is in use. Resident memory with a limit of 1g, after 50,000
 * tables in bulk and 20,000 single writes: 1,450 MB, afterwards 1,060 MB with the concurrent collection and 720 MB with
 * the full one. A full one stops the server for about 0.7 s on two busy cores. Light traffic causes no other
 * collections, so with a shorter wait its requests would often meet a full one.
 * Throughput differed by less than the noise, also with the Serial collector.
 * G1 is what Neo4j is tuned for and stays suitable for a large heap.
 */
const memoryFlags = (heap: string): string[] => [
  `-Xmx${heap}`,
  `-Xms${Math.min(parseBytes(heap), parseBytes('128m'))}`,
  '-XX:+UseG1GC',
  '-XX:G1PeriodicGCInterval=120000',
  ...(parseBytes(heap) > MAX_SMALL_HEAP ? [] : ['-XX:-G1PeriodicGCInvokesConcurrent']),
  '-XX:MinHeapFreeRatio=10',
  '-XX:MaxHeapFreeRatio=30',
  '-XX:TrimNativeHeapInterval=15000',
];

/**
 * Builds the arguments of `java`. `flags` are further options of the virtual machine; `marks` identify the process to a
 * later start.
 */
export const buildJavaArguments = (options: {
  jars: string;
  home: string;
  heap: string;
  mainClass: string;
  flags: readonly string[];
  marks: Readonly<Record<string, string>>;
}): string[] => [
  // Not every Java knows every option, and the server works without any of these.
  '-XX:+IgnoreUnrecognizedVMOptions',
  ...memoryFlags(options.heap),
  ...options.flags,
  ...OPENED_PACKAGES.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
  '-Dio.netty.tryReflectionSetAccessible=true',
  // Without a limit, every thread keeps a buffer as large as the largest answer it has written.
  '-Djdk.nio.maxCachedBufferSize=1024',
  '-Dfile.encoding=UTF-8',
  ...Object.entries(options.marks).map(([name, value]) => `-D${name}=${value}`),
  '-cp',
  `${options.jars}/*`,
  options.mainClass,
  `--home-dir=${options.home}`,
  `--config-dir=${options.home}/neo4j/conf`,
];
