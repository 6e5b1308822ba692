export {
  type CompareOptions,
  type Comparison,
  compareObject,
  type DriftReader,
  type FieldConflict,
  type PathDrift,
} from './compare-object.ts';
export { diffText, type ObjectDiff } from './diff-text.ts';
export {
  afterComparison,
  afterCorrection,
  afterFight,
  type Correction,
  comparisonDueAt,
  correctionOf,
  type DriftRecord,
  type Finding,
  type Observed,
} from './drift-record.ts';
export {
  type ComparedObject,
  type DriftedCondition,
  type DriftFault,
  driftedCondition,
  driftText,
  notCompared,
} from './drifted-condition.ts';
export { driftedStatus } from './drifted-status.ts';
