#include "base/opened_library.h"

// Every function of oneDNN that is called anywhere, mostly by inline definitions of its C++ header;
// also by what compilers leave of those without optimisation.
#define TESSERA_ONEDNN(DO)                       \
  DO(dnnl_dilated_convolution_forward_desc_init) \
  DO(dnnl_engine_create)                         \
  DO(dnnl_engine_destroy)                        \
  DO(dnnl_matmul_desc_init)                      \
  DO(dnnl_memory_create)                         \
  DO(dnnl_memory_desc_get_size)                  \
  DO(dnnl_memory_desc_init_by_strides)           \
  DO(dnnl_memory_desc_init_by_tag)               \
  DO(dnnl_memory_destroy)                        \
  DO(dnnl_post_ops_append_sum)                   \
  DO(dnnl_post_ops_append_sum_v2)                \
  DO(dnnl_post_ops_create)                       \
  DO(dnnl_post_ops_destroy)                      \
  DO(dnnl_primitive_attr_create)                 \
  DO(dnnl_primitive_attr_destroy)                \
  DO(dnnl_primitive_attr_set_output_scales)      \
  DO(dnnl_primitive_attr_set_post_ops)           \
  DO(dnnl_primitive_attr_set_scratchpad_mode)    \
  DO(dnnl_primitive_create)                      \
  DO(dnnl_primitive_desc_destroy)                \
  DO(dnnl_primitive_desc_iterator_create)        \
  DO(dnnl_primitive_desc_iterator_destroy)       \
  DO(dnnl_primitive_desc_iterator_fetch)         \
  DO(dnnl_primitive_desc_query)                  \
  DO(dnnl_primitive_desc_query_md)               \
  DO(dnnl_primitive_destroy)                     \
  DO(dnnl_primitive_execute)                     \
  DO(dnnl_reorder_primitive_desc_create)         \
  DO(dnnl_stream_create)                         \
  DO(dnnl_stream_destroy)

#define TESSERA_DEFINE(name) TESSERA_OPENED_FUNCTION(tessera_onednn, name)
#define TESSERA_LIST(name) tessera::OpenedFunction{#name, &tessera_place_##name},

TESSERA_ONEDNN(TESSERA_DEFINE)

namespace tessera::kernels {

namespace {

constexpr OpenedFunction kFunctions[] = {TESSERA_ONEDNN(TESSERA_LIST)};

}  // namespace

}  // namespace tessera::kernels

extern "C" __attribute__((visibility("hidden"))) tessera::OpenedLibrary tessera_onednn;
tessera::OpenedLibrary tessera_onednn{TESSERA_ONEDNN_NAME, tessera::kernels::kFunctions};
