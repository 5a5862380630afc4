import { serveTasks } from '../../thread.ts';
import { answerText } from './text.ts';

serveTasks(answerText);
