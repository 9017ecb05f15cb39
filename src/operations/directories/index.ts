import { directories, secrets } from './directories.ts';
import { members } from './members.ts';
import { roleAssignment } from './role-assignment.ts';

export const directoryService = { ...directories, ...members, ...roleAssignment, ...secrets };
