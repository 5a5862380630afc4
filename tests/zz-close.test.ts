import { closeService } from './support/service.ts';
import { suite } from './support/suite.ts';

const last = suite('the run');

last('closes its connections', closeService);

last.run();
