import { Attributes, ResourceType, type Attribute, type Schema } from './attributes.ts';

type Characteristics = Omit<Attribute, 'name' | 'type' | 'description'>;

const text = (name: string, description: string, more: Characteristics = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

const address = (name: string, description: string, referenceTypes: readonly string[]): Attribute => ({
  name,
  type: 'reference',
  description,
  referenceTypes,
  caseExact: true,
});

const complex = (name: string, description: string, members: readonly Attribute[]): Attribute => ({
  name,
  type: 'complex',
  description,
  sub: new Attributes(members),
});

interface Plural {
  value?: Attribute;
  types?: readonly string[];
}

/** An attribute with several values, one of which may be the primary one (RFC 7643 2.4). */
function plural(name: string, noun: string, { value, types }: Plural = {}): Attribute {
  const members: Attribute[] = [
    value ?? text('value', `The ${noun}.`),
    text('display', 'A name to show.'),
    text('type', `What the ${noun} is for.`, types && { canonicalValues: types }),
    { name: 'primary', type: 'boolean', description: `Whether this is the main ${noun}.` },
  ];
  return { ...complex(name, `Each ${noun} of the user.`, members), multiValued: true };
}

const NAME = complex('name', 'The parts of the name.', [
  text('formatted', 'The whole name.'),
  text('familyName', 'The family name.'),
  text('givenName', 'The given name.'),
  text('middleName', 'The middle name.'),
  text('honorificPrefix', 'A title before the name.'),
  text('honorificSuffix', 'A title after the name.'),
]);

const ADDRESSES: Attribute = {
  ...complex('addresses', 'Each postal address of the user.', [
    text('formatted', 'The whole address.'),
    text('streetAddress', 'The street and the number.'),
    text('locality', 'The city.'),
    text('region', 'The state or the region.'),
    text('postalCode', 'The postal code.'),
    text('country', 'The country.'),
    text('type', 'What the address is for.', { canonicalValues: ['work', 'home', 'other'] }),
    { name: 'primary', type: 'boolean', description: 'Whether this is the main address.' },
  ]),
  multiValued: true,
};

const GROUPS: Attribute = {
  ...complex('groups', 'The groups that have the user as a member.', [
    text('value', 'The id of the group.', { mutability: 'readOnly', caseExact: true }),
    { ...address('$ref', 'The address of the group.', ['Group']), mutability: 'readOnly' },
    text('display', 'The name of the group.', { mutability: 'readOnly' }),
  ]),
  multiValued: true,
  mutability: 'readOnly',
};

const CORE_USER: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A user of the directory.',
  attributes: new Attributes([
    text('userName', 'The name that identifies the user.', { required: true, uniqueness: 'server' }),
    NAME,
    text('displayName', 'The name to show.'),
    text('nickName', 'A casual name.'),
    address('profileUrl', 'The address of the profile.', ['external']),
    text('title', 'The title in the company.'),
    text('userType', 'The relation to the company.'),
    text('preferredLanguage', 'The language to talk in.'),
    text('locale', 'The locale for dates, numbers and currencies.'),
    text('timezone', 'The time zone.'),
    { name: 'active', type: 'boolean', description: 'Whether the user may sign in.' },
    text('password', 'Taken, and not kept.', { mutability: 'writeOnly', returned: 'never', caseExact: true }),
    plural('emails', 'e-mail address', {
      value: text('value', 'The e-mail address.', { format: 'email' }),
      types: ['work', 'home', 'other'],
    }),
    plural('phoneNumbers', 'phone number', { types: ['work', 'home', 'mobile', 'fax', 'pager', 'other'] }),
    plural('ims', 'address for instant messages'),
    plural('photos', 'picture', {
      value: address('value', 'The address of the picture.', ['external']),
      types: ['photo', 'thumbnail'],
    }),
    ADDRESSES,
    GROUPS,
    plural('entitlements', 'entitlement'),
    plural('roles', 'role'),
    plural('x509Certificates', 'certificate', {
      value: { name: 'value', type: 'binary', description: 'The certificate.', caseExact: true },
    }),
  ]),
};

export const ENTERPRISE_USER: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'A user in a company.',
  attributes: new Attributes([
    text('employeeNumber', 'The number in the company.'),
    text('costCenter', 'The cost center.'),
    text('organization', 'The organization.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    complex('manager', 'Whom the user reports to.', [
      text('value', 'The id of the manager.', { caseExact: true }),
      address('$ref', 'The address of the manager.', ['User']),
      text('displayName', 'The name of the manager.'),
    ]),
  ]),
};

const CORE_GROUP: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of the directory.',
  attributes: new Attributes([
    text('displayName', 'The name of the group.', { required: true }),
    {
      ...complex('members', 'The users in the group.', [
        text('value', 'The id of the user.', { mutability: 'immutable', caseExact: true }),
        { ...address('$ref', 'The address of the user.', ['User']), mutability: 'immutable' },
        text('type', 'What the member is.', { mutability: 'immutable', canonicalValues: ['User'] }),
      ]),
      multiValued: true,
    },
  ]),
};

export const USER = new ResourceType('User', '/Users', CORE_USER, [ENTERPRISE_USER]);
export const GROUP = new ResourceType('Group', '/Groups', CORE_GROUP);

export const SCHEMAS: readonly Schema[] = [CORE_USER, ENTERPRISE_USER, CORE_GROUP];
export const RESOURCE_TYPES: readonly ResourceType[] = [USER, GROUP];
