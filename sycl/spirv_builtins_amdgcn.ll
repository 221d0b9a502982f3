; The SPIR-V builtins that the kernels use, written with ROCm's device libraries (ocml, ockl) and LLVM intrinsics.
; DPC++ has such a library for AMD (libspirv), but the pinned wheels do not contain it. A kernel that uses another builtin
; fails with "undefined symbol": add the builtin here.
target triple = "amdgcn-amd-amdhsa"

; Indices.
declare i64 @__ockl_get_global_id(i32)
define i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 %dimension) alwaysinline {
  %result = call i64 @__ockl_get_global_id(i32 %dimension)
  ret i64 %result
}
declare i64 @__ockl_get_local_id(i32)
define i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 %dimension) alwaysinline {
  %result = call i64 @__ockl_get_local_id(i32 %dimension)
  ret i64 %result
}
declare i64 @__ockl_get_group_id(i32)
define i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32 %dimension) alwaysinline {
  %result = call i64 @__ockl_get_group_id(i32 %dimension)
  ret i64 %result
}
declare i64 @__ockl_get_global_size(i32)
define i64 @_Z25__spirv_BuiltInGlobalSizei(i32 %dimension) alwaysinline {
  %result = call i64 @__ockl_get_global_size(i32 %dimension)
  ret i64 %result
}
declare i64 @__ockl_get_local_size(i32)
define i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 %dimension) alwaysinline {
  %result = call i64 @__ockl_get_local_size(i32 %dimension)
  ret i64 %result
}
declare i64 @__ockl_get_num_groups(i32)
define i64 @_Z28__spirv_BuiltInNumWorkgroupsi(i32 %dimension) alwaysinline {
  %result = call i64 @__ockl_get_num_groups(i32 %dimension)
  ret i64 %result
}
define i64 @_Z27__spirv_BuiltInGlobalOffseti(i32 %dimension) alwaysinline {
  ret i64 0
}

; Sub-groups.
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
define i32 @_Z40__spirv_BuiltInSubgroupLocalInvocationIdv() alwaysinline {
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %result = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  ret i32 %result
}
declare i32 @llvm.amdgcn.wavefrontsize()
define i32 @_Z27__spirv_BuiltInSubgroupSizev() alwaysinline {
  %result = call i32 @llvm.amdgcn.wavefrontsize()
  ret i32 %result
}

; Arithmetic.
declare float @__ocml_exp_f32(float)
define float @_Z15__spirv_ocl_expf(float %x) alwaysinline {
  %result = call float @__ocml_exp_f32(float %x)
  ret float %result
}
declare float @__ocml_exp2_f32(float)
define float @_Z16__spirv_ocl_exp2f(float %x) alwaysinline {
  %result = call float @__ocml_exp2_f32(float %x)
  ret float %result
}
declare float @__ocml_log_f32(float)
define float @_Z15__spirv_ocl_logf(float %x) alwaysinline {
  %result = call float @__ocml_log_f32(float %x)
  ret float %result
}
declare float @__ocml_log2_f32(float)
define float @_Z16__spirv_ocl_log2f(float %x) alwaysinline {
  %result = call float @__ocml_log2_f32(float %x)
  ret float %result
}
declare float @__ocml_cospi_f32(float)
define float @_Z17__spirv_ocl_cospif(float %x) alwaysinline {
  %result = call float @__ocml_cospi_f32(float %x)
  ret float %result
}
declare float @__ocml_sinpi_f32(float)
define float @_Z17__spirv_ocl_sinpif(float %x) alwaysinline {
  %result = call float @__ocml_sinpi_f32(float %x)
  ret float %result
}
declare float @__ocml_cos_f32(float)
define float @_Z15__spirv_ocl_cosf(float %x) alwaysinline {
  %result = call float @__ocml_cos_f32(float %x)
  ret float %result
}
declare float @__ocml_sin_f32(float)
define float @_Z15__spirv_ocl_sinf(float %x) alwaysinline {
  %result = call float @__ocml_sin_f32(float %x)
  ret float %result
}
declare float @__ocml_tanh_f32(float)
define float @_Z16__spirv_ocl_tanhf(float %x) alwaysinline {
  %result = call float @__ocml_tanh_f32(float %x)
  ret float %result
}
declare float @__ocml_sqrt_f32(float)
define float @_Z16__spirv_ocl_sqrtf(float %x) alwaysinline {
  %result = call float @__ocml_sqrt_f32(float %x)
  ret float %result
}
declare float @__ocml_rsqrt_f32(float)
define float @_Z17__spirv_ocl_rsqrtf(float %x) alwaysinline {
  %result = call float @__ocml_rsqrt_f32(float %x)
  ret float %result
}
declare float @__ocml_expm1_f32(float)
define float @_Z17__spirv_ocl_expm1f(float %x) alwaysinline {
  %result = call float @__ocml_expm1_f32(float %x)
  ret float %result
}
declare float @__ocml_log1p_f32(float)
define float @_Z17__spirv_ocl_log1pf(float %x) alwaysinline {
  %result = call float @__ocml_log1p_f32(float %x)
  ret float %result
}
declare float @__ocml_pow_f32(float, float)
define float @_Z15__spirv_ocl_powff(float %x, float %y) alwaysinline {
  %result = call float @__ocml_pow_f32(float %x, float %y)
  ret float %result
}
declare float @llvm.fabs.f32(float)
define float @_Z16__spirv_ocl_fabsf(float %x) alwaysinline {
  %result = call float @llvm.fabs.f32(float %x)
  ret float %result
}
declare float @llvm.floor.f32(float)
define float @_Z17__spirv_ocl_floorf(float %x) alwaysinline {
  %result = call float @llvm.floor.f32(float %x)
  ret float %result
}
declare float @llvm.ceil.f32(float)
define float @_Z16__spirv_ocl_ceilf(float %x) alwaysinline {
  %result = call float @llvm.ceil.f32(float %x)
  ret float %result
}
declare float @llvm.rint.f32(float)
define float @_Z16__spirv_ocl_rintf(float %x) alwaysinline {
  %result = call float @llvm.rint.f32(float %x)
  ret float %result
}
declare float @llvm.trunc.f32(float)
define float @_Z17__spirv_ocl_truncf(float %x) alwaysinline {
  %result = call float @llvm.trunc.f32(float %x)
  ret float %result
}
declare float @llvm.exp.f32(float)
define float @_Z22__spirv_ocl_native_expf(float %x) alwaysinline {
  %result = call float @llvm.exp.f32(float %x)
  ret float %result
}
declare float @llvm.log.f32(float)
define float @_Z22__spirv_ocl_native_logf(float %x) alwaysinline {
  %result = call float @llvm.log.f32(float %x)
  ret float %result
}
declare float @llvm.sqrt.f32(float)
define float @_Z23__spirv_ocl_native_sqrtf(float %x) alwaysinline {
  %result = call float @llvm.sqrt.f32(float %x)
  ret float %result
}
declare float @llvm.maxnum.f32(float, float)
define float @_Z16__spirv_ocl_fmaxff(float %x, float %y) alwaysinline {
  %result = call float @llvm.maxnum.f32(float %x, float %y)
  ret float %result
}
declare float @llvm.minnum.f32(float, float)
define float @_Z16__spirv_ocl_fminff(float %x, float %y) alwaysinline {
  %result = call float @llvm.minnum.f32(float %x, float %y)
  ret float %result
}
declare float @llvm.copysign.f32(float, float)
define float @_Z20__spirv_ocl_copysignff(float %x, float %y) alwaysinline {
  %result = call float @llvm.copysign.f32(float %x, float %y)
  ret float %result
}
declare float @llvm.fma.f32(float, float, float)
define float @_Z15__spirv_ocl_fmafff(float %x, float %y, float %z) alwaysinline {
  %result = call float @llvm.fma.f32(float %x, float %y, float %z)
  ret float %result
}

; Barriers of a work-group.
declare void @llvm.amdgcn.s.barrier()
define void @_Z22__spirv_ControlBarrieriii(i32 %execution, i32 %memory, i32 %semantics) alwaysinline convergent {
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}
