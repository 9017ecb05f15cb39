import { accountConfirmation } from './confirmation.ts';
import { accountDecision } from './decision.ts';
import { accountOutcome } from './outcome.ts';

export const accountPages = { ...accountDecision, ...accountConfirmation, ...accountOutcome };
