import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialReader } from './credential-reader.js';
import { CredentialWriter } from './credential-writer.js';
import { Credential } from './credential.entity.js';
import { Inventory } from './inventory.js';
import { User } from './user.entity.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, Credential])],
  providers: [CredentialReader, CredentialWriter, Inventory],
  exports: [CredentialReader, CredentialWriter, Inventory, TypeOrmModule],
})
export class CredentialsModule {}
