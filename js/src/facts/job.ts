/** The programs of a job, as hosts hand them over. */
import type { Job } from '../schema';
import { isRecord } from './records';

/** The programs of a job; null for anything else. */
export const jobIn = (value: unknown): Job | null =>
  isRecord(value, 'Job') && (value as Job).held.length > 0 ? (value as Job) : null;
