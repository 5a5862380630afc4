// Lets threads of a test run sources as the run itself does: the loader alone sees to the main thread only.
import { isMainThread } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

if (!isMainThread) register();
