/** For `node --import`: an entity has a column that no migration created. */
import 'reflect-metadata';
import { Column } from 'typeorm';
import { Tenant } from '../../../dist/tenancy/tenant.entity.js';

Column({ name: 'colour', type: 'integer' })(Tenant.prototype, 'colour');
