import { directories } from './directories.ts';
import { members } from './members.ts';
import { roleAssignment } from './role-assignment.ts';
import { secrets } from './secrets.ts';

export const directoryService = { ...directories, ...members, ...roleAssignment, ...secrets };
