/** For `node --import`: two entities have a column each that no migration created; one may be NULL. */
import 'reflect-metadata';
import { Column } from 'typeorm';
import { Secret } from '../../../dist/platform/database/entities/server.entity.js';
import { Tenant } from '../../../dist/tenancy/tenant.entity.js';

Column({ name: 'colour', type: 'integer' })(Tenant.prototype, 'colour');
Column({ name: 'scent', type: 'integer', nullable: true })(Secret.prototype, 'scent');
