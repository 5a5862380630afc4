/** Says in a few lines what `npm audit --json` found, or that nothing answered. Its exit code is 0 either way. */
import { readFileSync } from 'node:fs';

const report = (() => {
  try {
    return JSON.parse(readFileSync(0, 'utf8'));
  } catch {
    return {};
  }
})();

const counts = report.metadata?.vulnerabilities;
if (counts === undefined) {
  const reason = report.error?.summary || report.message || `npm audit ended with ${process.argv[2]}`;
  console.log(`npm audit: SKIPPED, the registry answers no advisories (${String(reason).split('\n')[0]})`);
} else {
  console.log(`npm audit: ${counts.total} known vulnerabilities in what is installed for production`);
  for (const [name, { severity, range }] of Object.entries(report.vulnerabilities ?? {})) {
    console.log(`npm audit: ${severity}: ${name} ${range}`);
  }
}
