import { Module } from '@nestjs/common';
import { UserAdminController } from './user-admin.controller.js';

@Module({ controllers: [UserAdminController] })
export class UserAdminModule {}
