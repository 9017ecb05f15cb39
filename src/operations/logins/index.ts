export { authLogs as auditLogsService } from './auth-logs.ts';
export { loginRequests as authService } from './login-requests.ts';
