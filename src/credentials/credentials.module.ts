import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialReader } from './credential-reader.js';
import { CredentialWriter } from './credential-writer.js';
import { Credential } from './credential.entity.js';
import { User } from './user.entity.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, Credential])],
  providers: [CredentialReader, CredentialWriter],
  exports: [CredentialReader, CredentialWriter, TypeOrmModule],
})
export class CredentialsModule {}
