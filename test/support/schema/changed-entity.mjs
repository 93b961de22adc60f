/** For `node --import`: an entity says more than the migrations made. */
import 'reflect-metadata';
import { Column } from 'typeorm';
import { Tenant } from '../../../dist/tenancy/tenant.entity.js';

Column({ name: 'colour', type: 'integer' })(Tenant.prototype, 'colour');
