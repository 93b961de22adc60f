import type { AuditAction, AuditDetail } from '../../audit/audit-entry.js';
import type { AuditNote } from '../../audit/request-rows.js';
import type { UserChange } from '../../users/user-changes.js';
import type { Permission } from '../../platform/access/permissions.js';
import { isObject } from '../../platform/validation/field-validator.js';

/** The change that a type of `manageusers` makes, the permission that it needs, and whether it concerns devices. */
export interface UserOperation {
  readonly change?: UserChange['kind'];
  readonly needs: Permission;
  readonly device?: true;
  /** The action in the audit trail; absent if nothing is changed. */
  readonly action?: AuditAction;
}

/** The seven types that the interface defines. */
export const OPERATIONS = {
  list: { needs: 'users:read' },
  deluser: { change: 'delete-user', needs: 'users:delete', action: 'user.delete' },
  deldevice: { change: 'delete', needs: 'keys:change', device: true, action: 'credential.delete' },
  disableall: { change: 'disable', needs: 'keys:change', action: 'user.disable' },
  enableall: { change: 'enable', needs: 'keys:change', action: 'user.enable' },
  disabledevice: {
    change: 'disable',
    needs: 'keys:change',
    device: true,
    action: 'credential.disable',
  },
  enabledevice: {
    change: 'enable',
    needs: 'keys:change',
    device: true,
    action: 'credential.enable',
  },
} as const satisfies Record<string, UserOperation>;

export type OperationType = keyof typeof OPERATIONS;

export const OPERATION_TYPES = Object.keys(OPERATIONS) as readonly OperationType[];

/** The operation of unchecked parameters; `undefined` if their type is unknown. */
export function operationOf(parameters: unknown): UserOperation | undefined {
  const type = isObject(parameters) ? parameters['type'] || 'list' : undefined;
  return OPERATION_TYPES.includes(type as OperationType)
    ? OPERATIONS[type as OperationType]
    : undefined;
}

/** The permission for the change in these parameters; `undefined` for a list. */
export function permissionForOperation(parameters: unknown): Permission | undefined {
  const operation = operationOf(parameters);
  return operation?.change && operation.needs;
}

/** The part of a pattern that fits into the detail of an audit row. */
export const cutPattern = (pattern: string): string => pattern.slice(0, 300);

/** Creates the audit note of a change; listing leaves no row. */
export function auditNoteOf(parameters: unknown): AuditNote | undefined {
  const { action } = operationOf(parameters) ?? {};
  const { filter, device } = isObject(parameters) ? parameters : {};
  if (action === undefined) return undefined;
  return { action, target: filter as string | undefined, detail: deviceDetail(device) };
}

/** The members of a row's detail for the device that a call names, if it does. */
export const deviceDetail = (device: unknown): AuditDetail | undefined =>
  typeof device === 'string' ? { device: cutPattern(device) } : undefined;
